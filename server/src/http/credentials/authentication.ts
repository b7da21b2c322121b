import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { BotIdentity } from "../../domain/bots/bot.js";
import { hashBotToken, looksLikeBotToken } from "../../domain/bots/tokens.js";
import { InvalidInput, Unauthenticated } from "../../domain/errors.js";
import { type Store, StoreUnavailable } from "../../store/store.js";
import type { RateLimits } from "../limits/rate-limit.js";
import { OWNER_HEADER, ownerNamedBy } from "./owner-header.js";
import { ownerSuspended } from "./owner-standings.js";
import type { OwnerIdentity, OwnerTokenVerifier } from "./owner-tokens.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller of an owner operation; set before its handler runs. */
    owner: OwnerIdentity;
    /** Whether the caller is the platform, acting as that owner. */
    isPlatform: boolean;
    /** The caller of a bot operation; set before its handler runs. */
    bot: BotIdentity;
    /** The hash of that bot's token. */
    tokenHash: string;
  }
}

/** Recognises and limits the platform's requests. */
export interface PlatformAccess {
  isToken(token: string): boolean;
  /** @returns false when it has sent the 429 */
  admit(reply: FastifyReply): boolean;
}

/** An `onRequest` hook: authentication and rate limit, before the body is read. Returns a promise, or calls `done`. */
export type Authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
) => Promise<unknown> | undefined;

const LOOKS_LIKE_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Admits requests with an owner token, counted against the owner's rate limit, and requests of the platform acting as
 * an owner, which have a separate limit.
 *
 * @param isOwnerOptional whether the platform may leave the owner out; then `request.owner` is not set
 */
export function ownerAuthentication(
  ownerTokens: OwnerTokenVerifier,
  platform: PlatformAccess,
  limits: RateLimits,
  isOwnerOptional = false,
): Authenticate {
  return async (request, reply) => {
    try {
      const token = bearerToken(request);
      if (platform.isToken(token)) {
        request.isPlatform = true;
        if (!platform.admit(reply)) return reply;
        const isNobody = isOwnerOptional && request.headers[OWNER_HEADER] === undefined;
        if (!isNobody) request.owner = platformOwner(request);
        return;
      }
      if (looksLikeBotToken(token)) {
        throw new Unauthenticated(
          "this operation takes an owner token, not a bot token",
          "credential_wrong_kind",
        );
      }
      request.owner = await ownerTokens.verify(token);
    } catch (error) {
      return refuse(error, request, reply, limits);
    }
    if (!limits.admitCredential(reply, `owner ${request.owner.userId}`)) return reply;
    if (request.headers[OWNER_HEADER] !== undefined) {
      throw new InvalidInput(
        "Botyard-Owner goes with the platform's token only: an owner token says itself whose it is",
        "invalid_owner_header",
      );
    }
  };
}

/** Admits requests of the platform that are not for a single owner. */
export function platformAuthentication(platform: PlatformAccess, limits: RateLimits): Authenticate {
  return async (request, reply) => {
    try {
      const token = bearerToken(request);
      if (!platform.isToken(token)) {
        throw new Unauthenticated(
          "this operation takes a token of the platform (PLATFORM_TOKEN), not one of an owner or a bot",
          looksLikeBotToken(token) || LOOKS_LIKE_JWT.test(token) ? "credential_wrong_kind" : "token_invalid",
        );
      }
    } catch (error) {
      return refuse(error, request, reply, limits);
    }
    request.isPlatform = true;
    if (!platform.admit(reply)) return reply;
    if (request.headers[OWNER_HEADER] !== undefined) {
      throw new InvalidInput(
        "Botyard-Owner must be left out here: this is not an operation of one owner",
        "invalid_owner_header",
      );
    }
  };
}

/** The owner that the platform acts as. */
function platformOwner({ headers }: FastifyRequest): OwnerIdentity {
  const named = headers[OWNER_HEADER];
  if (typeof named !== "string") {
    throw new InvalidInput(
      "the platform's token needs the header Botyard-Owner: the user id to act as",
      "invalid_owner_header",
    );
  }
  const userId = ownerNamedBy(named);
  return { userId, username: userId };
}

/** Admits requests with the token of an enabled bot, and counts them against the bot's rate limit. */
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
 * Admits a bot by the last look-up of its token, for operations whose write checks the token again. This saves PostgreSQL
 * one of the two statements of a post, and a fifth of the work. Every answer but a success follows a look-up: by
 * {@link confirmAuthentication}, or here.
 */
export function authenticateFromCache(store: Store, limits: RateLimits): Authenticate {
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

/** The error handler where a write checks the token again: a caller whose token is not valid gets a 401 and nothing else. */
export function confirmAuthentication(store: Store, limits: RateLimits) {
  return async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // These do not depend on the token, and a look-up would add load when the store is already behind.
    const isFinalAnswer = error instanceof Unauthenticated || error instanceof StoreUnavailable;
    try {
      if (!isFinalAnswer) await identifyBot(store, request);
    } catch (refusal) {
      return refuse(refusal, request, reply, limits);
    }
    throw error;
  };
}

/**
 * The bot whose token the request carries.
 *
 * @throws Unauthenticated saying why the token is not valid
 */
export async function identifyBot(store: Store, request: FastifyRequest): Promise<BotIdentity> {
  const token = bearerToken(request);
  if (!looksLikeBotToken(token))
    throw new Unauthenticated("this operation takes a bot token (bot_…)", "credential_wrong_kind");
  request.tokenHash = hashBotToken(token);
  const bot = await store.authenticateBot(request.tokenHash);
  if (!bot) {
    const reason = await store.readSuspension(request.tokenHash);
    if (reason !== undefined) throw ownerSuspended(reason);
    throw new Unauthenticated("the bot token is not valid: unknown, rotated, or of a disabled bot");
  }
  return bot;
}

/** @returns false when `check` rejects with Unauthenticated; other errors are thrown */
export async function isStillValid(check: Promise<unknown>): Promise<boolean> {
  try {
    await check;
    return true;
  } catch (error) {
    if (error instanceof Unauthenticated) return false;
    throw error;
  }
}

/** Whether the credential of an owner operation is still valid, for long answers. A token of the platform does not expire. */
export async function isOwnerStillValid(
  ownerTokens: OwnerTokenVerifier,
  request: FastifyRequest,
): Promise<boolean> {
  return request.isPlatform || (await isStillValid(ownerTokens.verify(givenToken(request) ?? "")));
}

/** The bearer token of a request. */
export function givenToken({
  headers: { authorization },
}: {
  headers: { authorization?: string | undefined };
}): string | undefined {
  return BEARER.exec(authorization ?? "")?.[1];
}

function bearerToken(request: FastifyRequest): string {
  const token = givenToken(request);
  if (!token)
    throw new Unauthenticated(
      "a credential is required: Authorization: Bearer <token>",
      "credential_missing",
    );
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
