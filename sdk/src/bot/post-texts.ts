import type { Context } from "./context.js";
import { POST_CREATED, POST_EDITED } from "./kinds.js";
import { mentions } from "./mentions.js";

/** The text of a new post. */
export function bodyOf({ update }: Context): string | undefined {
  return update.event_type === POST_CREATED ? update.payload.body : undefined;
}

/**
 * Whether a new post is one of these texts, in any case, or has one of these patterns in it; then the context has what the pattern found.
 *
 * @throws {TypeError} when nothing can be found by it
 */
export function textTest(wanted: string | RegExp | readonly (string | RegExp)[]): (ctx: Context) => boolean {
  const list = Array.isArray(wanted) ? (wanted as readonly (string | RegExp)[]) : [wanted as string | RegExp];
  const isText = (one: unknown) => typeof one === "string" && one.trim() !== "";
  if (list.length === 0 || !list.every((one) => one instanceof RegExp || isText(one))) {
    throw new TypeError('hears needs what the post says, a text or a pattern: hears("hello", handler)');
  }
  // With the flags `g` and `y` a pattern would continue where it matched in the post before.
  const patterns = list.map((one) =>
    typeof one === "string" ? one.trim().toLowerCase() : new RegExp(one, one.flags.replace(/[gy]/g, "")),
  );
  return (ctx) => {
    const body = bodyOf(ctx);
    if (body === undefined) return false;
    return patterns.some((pattern) => {
      if (typeof pattern === "string") return pattern === body.trim().toLowerCase();
      ctx.match = pattern.exec(body) ?? undefined;
      return ctx.match !== undefined;
    });
  };
}

/** Whether a new or edited post mentions the bot. */
export async function mentionsBot(ctx: Context): Promise<boolean> {
  const { update } = ctx;
  if (update.event_type !== POST_CREATED && update.event_type !== POST_EDITED) return false;
  const { body } = update.payload;
  return body.includes("@") && mentions(body, (await ctx.me()).username);
}
