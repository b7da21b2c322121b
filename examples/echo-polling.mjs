// A bot that echoes every post, by polling: it needs no address of its own.
//
//   BOT_TOKEN=bot_… node examples/echo-polling.mjs
//
// BOTYARD_URL is the URL of the service, POSITION_FILE the file for the bot's position in its log.
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
