// A bot for a test to send signals: signalled.mjs URL TOKEN [HANDLING-MS]
import { setTimeout as sleep } from "node:timers/promises";
import { Bot } from "@botyard/sdk";

const [url, token, handlingMs = "0"] = process.argv.slice(2);
const bot = new Bot(token, { url });
bot.onPost(async (ctx) => {
  console.log("handling");
  await sleep(Number(handlingMs));
  await ctx.reply("done");
});
await bot.start();
console.log("ended");
