// A bot that echoes every post, by polling: it needs no address of its own. The service keeps its position, so it goes on where it
// stopped; Ctrl-C and SIGTERM stop it in good order.
//
//   BOT_TOKEN=bot_… node examples/echo-polling.mjs
//
// BOTYARD_URL is the URL of the service.
import { Bot } from "@botyard/sdk";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.onPost((ctx) => ctx.reply(`echo: ${ctx.payload.body}`));
await bot.start();
