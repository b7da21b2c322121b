import { fileValues } from "@botyard/sdk/node";
import { createBot } from "./bot.mjs";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", TASKS = "tasks" } = process.env;

const bot = createBot(BOT_TOKEN, { url: BOTYARD_URL }, fileValues(TASKS));
// A bot hears edits and deletions only if it asks for them.
await bot.subscribe();
await bot.start({ wait: true });
