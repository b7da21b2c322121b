import { createBot } from "./bot.js";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;

await createBot(BOT_TOKEN, { url: BOTYARD_URL }).start({ wait: true });
