// A bot that echoes every post, by webhook on Express.
//
//   BOT_TOKEN=bot_… SECRET_TOKEN=… node examples/echo-express.mjs        listens on http://127.0.0.1:9000/hook
//
// SECRET_TOKEN is the webhook's secret_token. BOTYARD_URL is the URL of the service, PORT the port to listen on.
import { Bot } from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import express from "express";

const { BOT_TOKEN, SECRET_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", PORT = "9000" } = process.env;

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.onPost((ctx) => ctx.reply(`echo: ${ctx.payload.body}`));

const app = express();
// Before any body parser: the signature covers the raw bytes.
app.post("/hook", webhookHandler(bot, { secret: SECRET_TOKEN }));
app.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${PORT}/hook`));
