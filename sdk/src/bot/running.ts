import type { AnyUpdate } from "../types.js";
import { type Cancelled, type Context, cancelContext, channelIdOf } from "./context.js";

const REASONS: Record<Cancelled, string> = {
  deleted: "the post that is answered was deleted",
  others: "another handler of the bot has cancelled this one",
  stopped: "the bot stops",
};

/** The handlers of a bot that are running. */
export class Running {
  readonly #contexts = new Set<Context>();

  add(ctx: Context): void {
    this.#contexts.add(ctx);
  }

  delete(ctx: Context): void {
    this.#contexts.delete(ctx);
  }

  /** An update has arrived: if a post was deleted, whatever handles it is cancelled, before handlers get the update. */
  arrived(update: AnyUpdate): void {
    if (this.#contexts.size === 0 || update.event_type !== "channel.post_deleted") return;
    const { post_id: deleted } = update.payload as { post_id: string };
    this.#cancel("deleted", ({ update: { event_type, payload } }) => {
      return event_type !== "channel.post_deleted" && (payload as { post_id?: string }).post_id === deleted;
    });
  }

  /** Cancels the other handlers of a context's channel. */
  cancelOthers(own: Context, isMeant: (other: Context) => boolean = () => true): number {
    const channel = channelIdOf(own.update);
    return this.#cancel(
      "others",
      (ctx) => ctx !== own && channelIdOf(ctx.update) === channel && isMeant(ctx),
    );
  }

  /** Cancels all of them. */
  stop(): void {
    this.#cancel("stopped", () => true);
  }

  /** Those that have been running since before the last call. */
  slow(seen: WeakSet<Context>): Context[] {
    const slow = [...this.#contexts].filter((ctx) => seen.has(ctx));
    for (const ctx of this.#contexts) seen.add(ctx);
    return slow;
  }

  #cancel(why: Cancelled, isMeant: (ctx: Context) => boolean): number {
    let cancelled = 0;
    for (const ctx of this.#contexts) {
      if (!isMeant(ctx)) continue;
      const reason = Object.assign(new Error(REASONS[why]), { name: "AbortError" });
      if (cancelContext(ctx, why, reason)) cancelled += 1;
    }
    return cancelled;
  }
}
