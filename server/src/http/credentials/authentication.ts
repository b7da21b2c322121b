import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { BotIdentity } from "../../domain/bot.js";
import { Unauthenticated } from "../../domain/errors.js";
import { hashBotToken, looksLikeBotToken } from "../../domain/tokens.js";
import { TooManyPosts } from "../../operations/bound-posts.js";
import { type Store, StoreUnavailable } from "../../store/store.js";
import type { RateLimits } from "../limits/rate-limit.js";
import type { OwnerIdentity, OwnerTokenVerifier } from "./owner-tokens.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller of an owner operation; set before its handler runs. */
    owner: OwnerIdentity;
    /** The caller of a bot operation; set before its handler runs. */
    bot: BotIdentity;
    /** The hash of the token by which that bot is known. */
    tokenHash: string;
  }
}

/**
 * An `onRequest` hook: who calls, and whether they may call again already. It runs before the body is read. Gives a
 * promise, or calls `done`.
 */
export type Authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
) => Promise<unknown> | undefined;

const BEARER = /^Bearer +(\S+) *$/i;

/** Lets owner tokens through, and counts each request of the owner. */
export function ownerAuthentication(ownerTokens: OwnerTokenVerifier, limits: RateLimits): Authenticate {
  return async (request, reply) => {
    try {
      const token = bearerToken(request);
      if (looksLikeBotToken(token)) {
        throw new Unauthenticated("this operation takes an owner token, not a bot token");
      }
      request.owner = await ownerTokens.verify(token);
    } catch (error) {
      return refuse(error, request, reply, limits);
    }
    if (!limits.admitCredential(reply, `owner ${request.owner.userId}`)) return reply;
  };
}

/** Lets the tokens of enabled bots through, and counts each request of the bot. */
export function botAuthentication(store: Store, limits: RateLimits) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    try {
      request.bot = await identifyBot(store, request);
    } catch (error) {
      return refuse(error, request, reply, limits);
    }
    if (!limits.admitCredential(reply, request.bot.id)) return reply;
  };
}

/**
 * Lets a bot on as the one its token belonged to when it was last looked up, for operations whose write is refused when
 * that has changed. This spares PostgreSQL one of the two statements that a post costs, and a fifth of the work. Whatever
 * is answered but a success is answered after a look-up: by {@link confirmBot}, or here.
 */
export function presumeBot(store: Store, limits: RateLimits): Authenticate {
  const authenticate = botAuthentication(store, limits);
  return (request, reply, done) => {
    const token = givenToken(request);
    const tokenHash = token && hashBotToken(token);
    const known = tokenHash && store.recallBot(tokenHash);
    if (!known || !limits.admitIfPossible(reply, known.id)) return authenticate(request, reply);
    request.bot = known;
    request.tokenHash = tokenHash;
    done();
    return undefined;
  };
}

/** The error handler that belongs to {@link presumeBot}: a caller whose token is not valid hears of that and nothing else. */
export function confirmBot(store: Store, limits: RateLimits) {
  return async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // Nor is the store asked for more when it is behind already.
    const isSaid =
      error instanceof Unauthenticated || error instanceof StoreUnavailable || error instanceof TooManyPosts;
    try {
      if (!isSaid) await identifyBot(store, request);
    } catch (refusal) {
      return refuse(refusal, request, reply, limits);
    }
    throw error;
  };
}

/**
 * The bot whose token the request carries.
 *
 * @throws Unauthenticated saying why the token does not count
 */
export async function identifyBot(store: Store, request: FastifyRequest): Promise<BotIdentity> {
  const token = bearerToken(request);
  if (!looksLikeBotToken(token)) throw new Unauthenticated("this operation takes a bot token (bot_…)");
  request.tokenHash = hashBotToken(token);
  const bot = await store.authenticateBot(request.tokenHash);
  if (!bot) throw new Unauthenticated("the bot token is not valid: unknown, rotated, or of a disabled bot");
  return bot;
}

/** Whether a credential that is looked at once more still counts. */
export async function stillCounts(look: Promise<unknown>): Promise<boolean> {
  try {
    await look;
    return true;
  } catch (error) {
    if (error instanceof Unauthenticated) return false;
    throw error;
  }
}

/** What the request shows as its credential. */
export function givenToken({ headers: { authorization } }: FastifyRequest): string | undefined {
  return BEARER.exec(authorization ?? "")?.[1];
}

function bearerToken(request: FastifyRequest): string {
  const token = givenToken(request);
  if (!token) throw new Unauthenticated("a credential is required: Authorization: Bearer <token>");
  return token;
}

/** A failed credential counts against the address it came from. */
function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  limits: RateLimits,
): FastifyReply {
  const isFailure = error instanceof Unauthenticated;
  if (isFailure && !limits.admitFailure(reply, request.ip)) return reply;
  throw error;
}
