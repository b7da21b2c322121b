import type { MediaItem } from "../domain/post.js";
import type { Store } from "../store/store.js";
import type { BatchSteps } from "./batch-steps.js";
import { type BatchTarget, findTargets } from "./batch-targets.js";
import {
  type PostUser,
  type PreparedPost,
  type Published,
  type Publisher,
  preparePost,
  publishedAs,
} from "./publish-post.js";

/** A post of a batch. */
export interface BatchPost {
  target: Exclude<BatchTarget, { botId: string }>;
  body: string;
  media?: MediaItem[] | undefined;
  user?: PostUser | undefined;
  idempotencyKey?: string | undefined;
}

/** Whose batch it is: an owner's, or the platform's for channels of any owner. */
export type BatchCaller = { userId: string; username: string } | "platform";

/** Posts that are stored in one transaction, at most 1.7 MB. */
const STEP_POSTS = 50;

/** A post that may be stored, and its place in the batch. */
interface Placed extends PreparedPost {
  index: number;
  publisher: Publisher;
}

/**
 * Publishes posts in their order, each by itself: one that cannot be published leaves the others alone. Those of a step are
 * durable together.
 *
 * @param items posts, or the errors with which items have failed already
 * @returns for each item what came of it
 */
export async function publishBatch(
  store: Store,
  steps: BatchSteps,
  caller: BatchCaller,
  items: readonly (BatchPost | Error)[],
): Promise<(Published | Error)[]> {
  const results: (Published | Error)[] = [];
  const placed = await prepare(store, caller, items, results);
  for (let from = 0; from < placed.length; from += STEP_POSTS) {
    const step = placed.slice(from, from + STEP_POSTS);
    await steps.run(nameOf(caller), () => publishStep(store, step, results));
  }
  return results;
}

export function nameOf(caller: BatchCaller): string {
  return caller === "platform" ? caller : `owner ${caller.userId}`;
}

/** Puts the errors of what cannot be published into `results`, and returns the rest. */
async function prepare(
  store: Store,
  caller: BatchCaller,
  items: readonly (BatchPost | Error)[],
  results: (Published | Error)[],
): Promise<Placed[]> {
  const ownerUserId = caller === "platform" ? undefined : caller.userId;
  const valid = items.flatMap((item, index) => (item instanceof Error ? [] : [{ item, index }]));
  for (const [index, item] of items.entries()) if (item instanceof Error) results[index] = item;
  const targets = await findTargets(
    store,
    ownerUserId,
    valid.map(({ item }) => item.target),
  );
  const placed: Placed[] = [];
  for (const [n, { item, index }] of valid.entries()) {
    const target = targets[n];
    try {
      if (target instanceof Error) throw target;
      if (!target || !("channelId" in target)) throw new Error("a post is for a channel");
      const username = caller === "platform" ? target.ownerUserId : caller.username;
      const publisher = { ownerUserId: target.ownerUserId, username, user: item.user };
      const { body, media, idempotencyKey } = item;
      const draft = { channelId: target.channelId, body, idempotencyKey, ...(media ? { media } : {}) };
      placed.push({ index, publisher, ...preparePost(publisher, draft) });
    } catch (error) {
      results[index] = error as Error;
    }
  }
  return placed;
}

async function publishStep(
  store: Store,
  step: readonly Placed[],
  results: (Published | Error)[],
): Promise<void> {
  const appended = await store
    .appendPosts(step.map(({ toAppend }) => toAppend))
    .catch((error: Error) => error);
  for (const [n, { index, post, publisher }] of step.entries()) {
    try {
      if (appended instanceof Error) throw appended;
      results[index] = publishedAs(appended[n], post, publisher);
    } catch (error) {
      results[index] = error as Error;
    }
  }
}
