import { Bot } from "@botyard/sdk";

/**
 * An assistant: it streams an answer to each post that mentions it, to several people at once, and `/stop` ends one's own.
 *
 * @param {(question: string, signal: AbortSignal) => AsyncIterable<string>} model writes the answer until it is aborted
 * @param {import("@botyard/sdk").ValueStore} stops keeps who has stopped when
 */
export function createBot(token, options, model, stops) {
  const bot = new Bot(token, options);

  // It waits for no answer that is being written.
  bot.order("none").command({ name: "stop", description: "Stop my answer" }, async (ctx) => {
    // Kept first: after a crash the question comes again, and must not be answered.
    await stops.write(personOf(ctx), ctx.update.update_id);
    ctx.cancelOthers((other) => personOf(other) === personOf(ctx));
    await ctx.reply(`Stopped, ${ctx.payload.author_username}.`);
  });

  bot.onPost().mention(async (ctx) => {
    const stoppedAt = (await stops.read(personOf(ctx))) ?? 0;
    if (stoppedAt > ctx.update.update_id) return;
    await ctx.reply.stream(model(ctx.payload.body, ctx.signal), { placeholder: "…" });
  });
  return bot;
}

/** Options of `bot.start`: each person has one answer at a time. */
export const START = { order: "author" };

function personOf({ payload: { channel_id: channel, author } }) {
  return `${channel}:${author?.type}:${author?.id}`;
}
