// A bot that echoes every post, by webhook on any runtime with the fetch standard; it uses no module of Node.
//
//   deno serve --allow-env --allow-net --port 9000 examples/echo-fetch.mjs
//   PORT=9000 bun examples/echo-fetch.mjs
//
// BOT_TOKEN, SECRET_TOKEN (the webhook's secret_token) and BOTYARD_URL come from the environment.
import { Bot, webhookHandler } from "@botyard/sdk";

const { BOT_TOKEN, SECRET_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.onPost((ctx) => ctx.reply(`echo: ${ctx.payload.body}`));

export default { fetch: webhookHandler(bot, { secret: SECRET_TOKEN }) };
