import { Bot, ServiceError, session } from "@botyard/sdk";

const TASK = /^todo:\s*(\S.*)$/i;

/**
 * Keeps a post with the tasks of a channel: the posts that begin with `todo:`. It follows their edits and deletions.
 *
 * @param {import("@botyard/sdk").ValueStore} store keeps the tasks of each channel
 */
export function createBot(token, options, store) {
  const bot = new Bot(token, options);
  bot.use(
    session({ store, initial: () => ({ tasks: {} }), key: ({ update }) => update.payload?.channel_id }),
  );

  bot.onPost((ctx) => change(ctx, TASK.exec(ctx.payload.body)?.[1]));
  bot.on("channel.post_edited", (ctx) => change(ctx, TASK.exec(ctx.payload.body)?.[1]));
  bot.on("channel.post_deleted", (ctx) => change(ctx, undefined));
  return bot;
}

/** Keeps what a post asks for, and shows it. */
async function change(ctx, task) {
  const { tasks } = ctx.session;
  const { post_id: id } = ctx.payload;
  if (tasks[id] === task) return;
  if (task === undefined) delete tasks[id];
  else tasks[id] = task;
  const lines = Object.values(tasks).map((one) => `- ${one}`);
  const text = lines.length === 0 ? "Nothing to do." : `To do:\n${lines.join("\n")}`;
  if (ctx.session.summary && (await edited(ctx, ctx.session.summary, text))) return;
  const { id: post, channel_id } = await ctx.reply(text);
  ctx.session.summary = { id: post, channel_id };
}

/** Whether the post could be changed: somebody may have deleted it. */
async function edited(ctx, summary, text) {
  try {
    await ctx.edit(summary, text);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return false;
    throw error;
  }
}
