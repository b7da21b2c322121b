import { createServer } from "node:http";
import { webhookHandler } from "@botyard/sdk/node";
import { createBot } from "./bot.js";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", WEBHOOK_SECRET, PORT = "3000" } = process.env;

const bot = createBot(BOT_TOKEN, BOTYARD_URL);
const server = createServer(webhookHandler(bot, { secret: WEBHOOK_SECRET }));
server.listen(Number(PORT), () => console.log(`listening on port ${PORT}`));

// Requests that have begun are answered before the process ends.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
