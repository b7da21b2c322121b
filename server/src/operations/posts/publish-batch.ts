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

type PreparedItem = PreparedPost & { publisher: Publisher; isSilent: boolean };

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
  const prepared = await Promise.all(
    step.map(async (one) => {
      const item = prepareItem(caller, one, replies.get(one));
      // What is refused anyway does not count.
      return item instanceof Error ? item : ((await refusalOf(one.target.ownerUserId)) ?? item);
    }),
  );
  const results: (Published | Error)[] = [...prepared] as Error[];
  for (const { isSilent, items } of inTurns(prepared)) {
    const posts = items.map(([, { toAppend }]) => toAppend);
    const stored = await storePosts(store, posts, isSilent).catch((error: Error) => error);
    for (const [n, [index, one]] of items.entries())
      results[index] = stored instanceof Error ? stored : outcomeOf(one, stored[n]);
  }
  return results;
}

/** Posts that are stored together, with their positions in the step. */
interface Turn {
  isSilent: boolean;
  items: [number, PreparedItem][];
}

/**
 * Silent posts are stored apart from the others, and those to one channel in their order: the first one with a key wins. So each turn has
 * posts of one kind, and a channel that changes between them goes on in the next turn.
 */
function inTurns(prepared: readonly (PreparedItem | Error)[]): Turn[] {
  const turns: Turn[] = [];
  const reached = new Map<string, number>();
  for (const [index, item] of prepared.entries()) {
    if (item instanceof Error) continue;
    const { isSilent, toAppend } = item;
    // Even turns are of posts that are told.
    const kind = isSilent ? 1 : 0;
    const last = reached.get(toAppend.channelId) ?? kind;
    const turn = last % 2 === kind ? last : last + 1;
    reached.set(toAppend.channelId, turn);
    for (let next = turns.length; next <= turn; next++) turns.push({ isSilent: next % 2 === 1, items: [] });
    turns[turn]?.items.push([index, item]);
  }
  return turns.filter(({ items }) => items.length > 0);
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
    return { publisher, isSilent: importedAt !== undefined, ...preparePost(publisher, draft, replyTo) };
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
