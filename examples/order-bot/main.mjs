import { DatabaseSync } from "node:sqlite";
import { sqliteValues } from "@botyard/sdk/sqlite";
import { createBot } from "./bot.mjs";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", DATABASE = "orders.db" } = process.env;

const database = new DatabaseSync(DATABASE);
await createBot(BOT_TOKEN, { url: BOTYARD_URL }, database, sqliteValues(database)).start({ wait: true });
