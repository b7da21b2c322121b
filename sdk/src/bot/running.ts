import type { AnyUpdate } from "../types.js";
import { type Cancelled, type Context, cancelContext, channelIdOf } from "./context.js";

const DELETED = "channel.post_deleted";

const REASONS: Record<Cancelled, string> = {
  deleted: "the post that is answered was deleted",
  others: "another handler of the bot has cancelled this one",
  stopped: "the bot stops",
};

/** The handlers of a bot that are running. */
export class Running {
  readonly #contexts = new Set<Context>();
  readonly #unwanted = new WeakSet<AnyUpdate>();

  add(ctx: Context): void {
    this.#contexts.add(ctx);
  }

  delete(ctx: Context): void {
    this.#contexts.delete(ctx);
  }

  /**
   * An update has arrived: if a post was deleted, whatever handles it is cancelled, before handlers get the update.
   *
   * @param waiting updates that handlers may not have begun with; those about the post are unwanted from now on
   */
  arrived(update: AnyUpdate, waiting: Iterable<AnyUpdate> = []): void {
    if (update.event_type !== DELETED) return;
    const { post_id: deleted } = update.payload as { post_id: string };
    const isMeant = ({ event_type: event, payload }: AnyUpdate) =>
      event !== DELETED && (payload as { post_id?: string } | null)?.post_id === deleted;
    for (const one of waiting) if (isMeant(one)) this.#unwanted.add(one);
    this.#cancel("deleted", (ctx) => isMeant(ctx.update));
  }

  /** Whether an update is about a post that was deleted while the update waited. */
  isUnwanted(update: AnyUpdate): boolean {
    return this.#unwanted.has(update);
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
