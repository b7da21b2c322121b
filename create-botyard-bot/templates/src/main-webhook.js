import { createServer } from "node:http";
import { webhookHandler } from "@botyard/sdk/node";
import { createBot } from "./bot.js";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", WEBHOOK_SECRET, PORT = "3000" } = process.env;

const bot = createBot(BOT_TOKEN, { url: BOTYARD_URL });
const server = createServer(webhookHandler(bot, { secret: WEBHOOK_SECRET }));
server.listen(Number(PORT), () => console.log(`listening on port ${PORT}`));

// On a signal, what has arrived is answered, and then each connection is closed: the service keeps them open.
let isStopping = false;
server.prependListener("request", (_request, response) => {
  if (isStopping) response.setHeader("connection", "close");
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    isStopping = true;
    server.close();
  });
}
