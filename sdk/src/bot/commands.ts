import type { BotCommand } from "../types.js";
import { commandIn } from "./command-line.js";
import type { CommandOffer, OptionSpec } from "./command-offer.js";
import type { Context } from "./context.js";
import type { Handler } from "./handlers.js";
import { bodyOf } from "./post-texts.js";

/** What the service takes for a name. Others are those of text commands only. */
const OFFERED_NAME = /^[a-z0-9_-]{1,32}$/;

/** The command as the service keeps it; none when it would refuse the name. */
export function offeredAs(name: string, offer: CommandOffer): BotCommand[] {
  return OFFERED_NAME.test(name) ? [{ name, ...offer } as BotCommand] : [];
}

/** Whether an update is a post that calls a command of this bot; then the context has its name and arguments. */
export async function isCalled(ctx: Context, isWanted: (name: string) => boolean): Promise<boolean> {
  const body = bodyOf(ctx);
  const call = body?.trimStart().startsWith("/") ? commandIn(body) : undefined;
  if (!call || !isWanted(call.name)) return false;
  if (call.to !== undefined && call.to !== (await ctx.me()).username.toLowerCase()) return false;
  ctx.command = call.name;
  ctx.args = call.args;
  return true;
}

/** Whether an update says that a user chose this command; then the context has its options, also as arguments. */
export function isChosen(ctx: Context, name: string, specs: readonly OptionSpec[]): boolean {
  const chosen = ctx.interaction?.command;
  if (chosen?.name !== name) return false;
  const options = chosen.options ?? {};
  ctx.command = name;
  ctx.options = options;
  ctx.args = specs.flatMap((spec) => (Object.hasOwn(options, spec.name) ? String(options[spec.name]) : []));
  return true;
}

/** A handler that runs when the options are there: those of a post are read first, and it is replied to when they cannot be. */
export function withOptions(handler: Handler, specs: readonly OptionSpec[]): Handler {
  return async (ctx, next) => {
    if (!ctx.interaction) {
      // Loaded with the first such post, so that a bundled program whose bot has no such commands does without.
      const { optionsIn } = await import("./command-options.js");
      const call = commandIn(bodyOf(ctx) ?? "") ?? { args: [], rests: [] };
      const options = optionsIn(`${ctx.command}`, specs, call);
      if (typeof options === "string") return await ctx.replyTo(options);
      ctx.options = options;
    }
    return await handler(ctx, next);
  };
}
