// A bot that echoes every post, by polling: no address of its own is needed.
//
//   BOT_TOKEN=bot_… node examples/echo-polling.mjs
//
// BOTYARD_URL is where the service is, POSITION_FILE where the bot remembers how far it has come.
import { Bot } from "@botyard/sdk";
import { fileStore } from "@botyard/sdk/node";

const {
  BOT_TOKEN,
  BOTYARD_URL = "http://127.0.0.1:8080",
  POSITION_FILE = "echo.position.json",
} = process.env;

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.onPost((ctx) => ctx.reply(`echo: ${ctx.payload.body}`));
bot.catch((error) => console.error(error.message));

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void bot.stop());
await bot.start({ store: fileStore(POSITION_FILE) });
