import type { PostContent, ReplyTo } from "../../domain/events/post.js";
import type { Fairness } from "../../fairness/fairness.js";
import type { AppendResult, Store } from "../../store/store.js";
import {
  findPublished,
  type PostUser,
  type PreparedPost,
  type Published,
  type Publisher,
  preparePost,
  publishedAs,
  storePosts,
} from "./publish-post.js";
import { findReplyTarget } from "./reply-target.js";
import {
  type BatchCaller,
  type BatchItem,
  isByPlatform,
  type RefusedItem,
  runBatch,
  type Targeted,
} from "./run-batch.js";

/** A post of a batch. */
export interface BatchPost extends BatchItem, PostContent {
  replyTo?: string | undefined;
  user?: PostUser | undefined;
}

type RefusalOf = (ownerUserId: string) => Error | undefined | Promise<Error | undefined>;

type PreparedItem = PreparedPost & { publisher: Publisher };

/**
 * Publishes posts in their order, independently: a post that cannot be published does not affect the others. The posts
 * of a step become durable together.
 *
 * @param refusalOf counts a post of an owner, and returns the error with which it is refused, if it is
 * @returns for each item its result, or the error with which it failed
 */
export async function publishBatch(
  store: Store,
  fairness: Fairness,
  caller: BatchCaller,
  items: readonly (BatchPost | RefusedItem)[],
  refusalOf: RefusalOf,
): Promise<(Published | Error)[]> {
  return await runBatch(store, fairness, caller, items, {
    runStep: (step) => publishStep(store, caller, step, refusalOf),
    async findFirst({ ownerUserId, ...target }, key) {
      if (!("channelId" in target)) return undefined;
      const post = await findPublished(store, { ownerUserId }, target.channelId, key);
      return post && { post, isReplayed: true };
    },
  });
}

async function publishStep(
  store: Store,
  caller: BatchCaller,
  step: readonly Targeted<BatchPost>[],
  refusalOf: RefusalOf,
): Promise<(Published | Error)[]> {
  const replies = await findReplyTargets(store, step);
  const refusals = await Promise.all(step.map(async ({ target }) => await refusalOf(target.ownerUserId)));
  const prepared = step.map((one, index) => refusals[index] ?? prepareItem(caller, one, replies.get(one)));
  const isSilent = (index: number) => step[index]?.item.importedAt !== undefined;
  const results: (Published | Error)[] = [];
  for (const silent of [false, true]) {
    const chosen = [...prepared.entries()].filter(([index]) => isSilent(index) === silent);
    const posts = chosen.flatMap(([, one]) => (one instanceof Error ? [] : [one.toAppend]));
    const stored =
      posts.length === 0 ? [] : await storePosts(store, posts, silent).catch((error: Error) => error);
    let next = 0;
    for (const [index, one] of chosen) {
      if (one instanceof Error) results[index] = one;
      else results[index] = stored instanceof Error ? stored : outcomeOf(one, stored[next++]);
    }
  }
  return results;
}

/** What the answers among the posts of a step answer, one after the other. */
async function findReplyTargets(
  store: Store,
  step: readonly Targeted<BatchPost>[],
): Promise<Map<Targeted<BatchPost>, ReplyTo | Error | undefined>> {
  const found = new Map<Targeted<BatchPost>, ReplyTo | Error | undefined>();
  for (const one of step) {
    const { item, target } = one;
    if (item.replyTo === undefined || !("channelId" in target)) continue;
    const { ownerUserId, channelId } = target;
    const lookUp = findReplyTarget(store, { ownerUserId }, channelId, item.replyTo);
    found.set(one, await lookUp.catch((error: Error) => error));
  }
  return found;
}

function prepareItem(
  caller: BatchCaller,
  { item, target }: Targeted<BatchPost>,
  replyTo: ReplyTo | Error | undefined,
): PreparedItem | Error {
  if (replyTo instanceof Error) return replyTo;
  if (!("channelId" in target)) return new Error("a post is for a channel");
  const username = caller === "platform" ? target.ownerUserId : caller.username;
  const { ownerUserId } = target;
  const publisher = { ownerUserId, isPlatform: isByPlatform(caller), username, user: item.user };
  const { body, media, components, idempotencyKey, cause, importedAt } = item;
  const draft = { channelId: target.channelId, body, media, components, idempotencyKey, cause, importedAt };
  try {
    return { publisher, ...preparePost(publisher, draft, replyTo) };
  } catch (error) {
    return error as Error;
  }
}

function outcomeOf({ post, publisher }: PreparedItem, appended: AppendResult | undefined): Published | Error {
  try {
    return publishedAs(appended, post, publisher);
  } catch (error) {
    return error as Error;
  }
}
