// A bot that writes down every update it has handled, for a test to kill: until-killed.mjs URL TOKEN POSITION-FILE LOG-FILE
import { appendFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Bot } from "@botyard/sdk";
import { fileStore } from "@botyard/sdk/node";

const [url, token, positionFile, logFile] = process.argv.slice(2);
const bot = new Bot(token, { url });
bot.onPost(async (ctx) => {
  // The rest of the page waits meanwhile, so that a kill finds updates that were read and not handled.
  await setImmediate();
  appendFileSync(logFile, `${ctx.update.update_id}\n`);
});
await bot.start({ store: fileStore(positionFile) });
