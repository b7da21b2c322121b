import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, preHandlerHookHandler } from "fastify";
import { BATCH_ITEM_US, costOfBytes, costOfEvent, SMALL_REQUEST_US } from "../../fairness/cost.js";
import type { Fairness } from "../../fairness/fairness.js";
import { listenersOf } from "../../fairness/listener-counts.js";
import type { OwnerTurns, Turn } from "../../fairness/owner-turns.js";
import type { Listeners } from "../../store/store.js";
import { sendError } from "../error-response.js";
import type { BodyParsing } from "../requests/json-body.js";
import { idFrom } from "../routes/refs.js";
import type { RequestCost } from "./request-costs.js";
import { createTokenBuckets } from "./token-buckets.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set while the request is handled in its owner's turn. */
    turn: Turn | undefined;
    /** Set while the request is a post or another event that waits for the store. */
    endPost: (() => void) | undefined;
  }
}

/** Whose share a request uses. */
export function ownerOfRequest({ owner, bot }: FastifyRequest): string {
  return owner?.userId ?? bot?.ownerUserId ?? "platform";
}

/** A `preHandler` hook: waits for the owner's turn. {@link endTurn} ends it. */
export function takeTurn(
  { turns, listeners, addPost }: Fairness,
  cost: RequestCost,
): preHandlerHookHandler | undefined {
  if (cost === "later") return undefined;

  if (cost === "batch") return endParsing(turns);
  const begin = (request: FastifyRequest, costUs: number, done: HookHandlerDoneFunction): void =>
    beginTurn(turns, request, costUs, done);
  if (typeof cost === "number") return (request, _reply, done) => begin(request, cost, done);
  if (typeof cost === "function") return (request, _reply, done) => begin(request, cost(request), done);

  return (request, _reply, done) => {
    const { id } = request.params as { id: string };
    request.endPost = addPost(ownerOfRequest(request));
    const beginFor = ({ posts, all }: Listeners): void =>
      begin(request, costOfEvent(cost === "post" ? posts : all), done);
    const known = listeners.known(id);
    if (known) {
      beginFor(known);
      return;
    }
    const channelId = idFrom(id);
    listeners.ask([channelId]).then(() => beginFor(listenersOf(listeners, channelId)), done);
  };
}

function beginTurn(turns: OwnerTurns, request: FastifyRequest, costUs: number, begin: () => void): void {
  const owner = ownerOfRequest(request);
  const turn = turns.begin(owner, request.bot?.id ?? owner, costUs);
  if (turn instanceof Promise) {
    void turn.then((begun) => {
      request.turn = begun;
      begin();
    });
    return;
  }
  request.turn = turn;
  begin();
}

/**
 * Parses the body of a batch in its owner's turn, once it has arrived: batches that are refused, and sent again at once, kept the event loop
 * busy.
 */
export function parseInTurn({ turns }: Fairness): BodyParsing {
  return (request, bytes, parse) => beginTurn(turns, request, SMALL_REQUEST_US + costOfBytes(bytes), parse);
}

/** A batch has been parsed: its items are known, and its steps take turns of their own. */
function endParsing(turns: OwnerTurns): preHandlerHookHandler {
  return (request, _reply, done) => {
    request.turn?.end();
    request.turn = undefined;
    let items = 0;
    for (const list of Object.values(request.body as object)) if (Array.isArray(list)) items += list.length;
    turns.charge(ownerOfRequest(request), items * BATCH_ITEM_US);
    done();
  };
}

/** Charges an owner for a post, or another event, that is stored in a channel that the request does not name. Never rejects. */
export async function chargeForEvent(
  { turns, listeners }: Pick<Fairness, "turns" | "listeners">,
  owner: string,
  { channelId, isPost }: { channelId: string; isPost: boolean },
): Promise<void> {
  // Numbers that the store cannot say now are taken as none.
  await listeners.ask([channelId]).catch(() => {});
  const { posts, all } = listenersOf(listeners, channelId);
  turns.charge(owner, costOfEvent(isPost ? posts : all));
}

/** The request is handled: its owner is charged for the bytes of its answer. */
export function endTurn(request: FastifyRequest, payload: unknown, { turns }: Fairness): void {
  const { turn, endPost } = request;
  if (endPost) {
    request.endPost = undefined;
    endPost();
  }
  if (!turn) return;
  request.turn = undefined;
  turn.end();
  if (typeof payload === "string") turns.charge(ownerOfRequest(request), costOfBytes(payload.length));
}

/** An owner's posts that are refused at once. Clients that try again at once are refused thousands of times a second. */
const IMMEDIATE_REFUSALS = { burst: 50, perSecond: 50 };
/** Further ones are refused after this time: 740 such clients kept the event loop busy. */
const REFUSED_AFTER_MS = 500;
/** Beyond so many, which wait at 3 KB each, posts are refused at once. */
const MAX_WAITING_REFUSALS = 10_000;

/**
 * Load shedding, as an `onRequest` hook of the operations that post, after authentication: refuses before the body is
 * read.
 */
export function shedPosts({ refusalOf }: Fairness) {
  const immediate = createTokenBuckets(IMMEDIATE_REFUSALS);
  let waiting = 0;
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const owner = ownerOfRequest(request);
    const refusal = refusalOf(owner);
    if (!refusal) {
      done();
      return;
    }
    if (waiting >= MAX_WAITING_REFUSALS || immediate.take(owner).allowed) {
      sendError(refusal, request, reply);
      return;
    }
    waiting += 1;
    setTimeout(() => {
      waiting -= 1;
      sendError(refusal, request, reply);
    }, REFUSED_AFTER_MS);
  };
}
