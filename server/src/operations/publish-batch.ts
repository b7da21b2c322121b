import type { MediaItem } from "../domain/post.js";
import type { Fairness } from "../fairness/fairness.js";
import type { AppendedPost, Store } from "../store/store.js";
import type { BatchTarget } from "./batch-targets.js";
import {
  type PostUser,
  type PreparedPost,
  type Published,
  type Publisher,
  preparePost,
  publishedAs,
} from "./publish-post.js";
import { type BatchCaller, isByPlatform, runBatch, type Targeted } from "./run-batch.js";

/** A post of a batch. */
export interface BatchPost {
  target: Exclude<BatchTarget, { botId: string }>;
  body: string;
  media?: MediaItem[] | undefined;
  user?: PostUser | undefined;
  idempotencyKey?: string | undefined;
}

type PreparedItem = PreparedPost & { publisher: Publisher };

/**
 * Publishes posts in their order, independently: a post that cannot be published does not affect the others. The posts
 * of a step become durable together.
 *
 * @param items posts, or the errors with which items have failed already
 * @returns for each item its result, or the error with which it failed
 */
export async function publishBatch(
  store: Store,
  fairness: Fairness,
  caller: BatchCaller,
  items: readonly (BatchPost | Error)[],
): Promise<(Published | Error)[]> {
  return await runBatch(store, fairness, caller, items, (step) => publishStep(store, caller, step));
}

async function publishStep(
  store: Store,
  caller: BatchCaller,
  step: readonly Targeted<BatchPost>[],
): Promise<(Published | Error)[]> {
  const prepared = step.map((one) => prepareItem(caller, one));
  const posts = prepared.flatMap((one) => (one instanceof Error ? [] : [one.toAppend]));
  const appended = await store.appendPosts(posts).catch((error: Error) => error);
  let next = 0;
  return prepared.map((one) => {
    if (one instanceof Error) return one;
    return appended instanceof Error ? appended : outcomeOf(one, appended[next++]);
  });
}

function prepareItem(caller: BatchCaller, { item, target }: Targeted<BatchPost>): PreparedItem | Error {
  if (!("channelId" in target)) return new Error("a post is for a channel");
  const username = caller === "platform" ? target.ownerUserId : caller.username;
  const { ownerUserId } = target;
  const publisher = { ownerUserId, isPlatform: isByPlatform(caller), username, user: item.user };
  const { body, media, idempotencyKey } = item;
  const draft = { channelId: target.channelId, body, idempotencyKey, ...(media ? { media } : {}) };
  try {
    return { publisher, ...preparePost(publisher, draft) };
  } catch (error) {
    return error as Error;
  }
}

function outcomeOf({ post, publisher }: PreparedItem, appended: AppendedPost | undefined): Published | Error {
  try {
    return publishedAs(appended, post, publisher);
  } catch (error) {
    return error as Error;
  }
}
