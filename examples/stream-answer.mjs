// A bot that answers posts that mention it with the text of a language model, while the model is still writing.
//
//   BOT_TOKEN=bot_… node examples/stream-answer.mjs
//
// BOTYARD_URL is the URL of the service. The model here is a made-up one, which needs no network. With the library `openai`:
//
//   const chunks = await openai.chat.completions.create({ model, messages, stream: true });
//   await ctx.reply.stream(textOf(chunks));
//
//   async function* textOf(chunks) {
//     for await (const chunk of chunks) yield chunk.choices[0]?.delta?.content ?? "";
//   }
import { setTimeout as sleep } from "node:timers/promises";
import { Bot, session } from "@botyard/sdk";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.use(session({ initial: () => ({ asked: [] }) }));
// Of new posts: while another bot streams, each of its edits would mention this one again.
bot.onPost().mention(async (ctx) => {
  ctx.session.asked.push(ctx.payload.body);
  await ctx.reply.stream(answer(ctx.session.asked), { placeholder: "…" });
});
// Only posts that mention it are recorded for this bot.
await bot.subscribe();
await bot.start();

/** The made-up model: it knows what it was asked, and writes a word every now and then. */
async function* answer(asked) {
  const text = `You have asked me ${asked.length === 1 ? "once" : `${asked.length} times`}. I am only an example, so I say: ${asked.at(-1)}`;
  for (const word of text.split(/(?<= )/)) {
    await sleep(40);
    yield word;
  }
}
