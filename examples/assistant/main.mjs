import { setTimeout as sleep } from "node:timers/promises";
import { fileValues } from "@botyard/sdk/node";
import { createBot, START } from "./bot.mjs";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", STOPS = "stops" } = process.env;

/** A made-up model, which needs no network: it writes a word every now and then. */
async function* model(question, signal) {
  for (const word of `You asked: ${question}\nI am only an example, so I do not know.`.split(/(?<= )/)) {
    await sleep(40, undefined, { signal });
    yield word;
  }
}

const bot = createBot(BOT_TOKEN, { url: BOTYARD_URL }, model, fileValues(STOPS));
// Deletions too: the answer to a question that is deleted ends.
await bot.subscribe({ event_types: ["channel.post_deleted"] });
await bot.start({ ...START, wait: true });
