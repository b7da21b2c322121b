import type { Bot } from "../../domain/bots/bot.js";
import type { Visibility } from "../../domain/bots/listing.js";
import { InvalidInput } from "../../domain/errors.js";
import { newId } from "../../domain/ids.js";
import { capReached, type OwnerCap } from "../../domain/owners/standing.js";
import type { OwnerActor, Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";
import { type IssuedToken, issueToken } from "./issue-token.js";

/** The properties of a new bot. `displayName` is the username, `description` empty and `visibility` private when left out. */
export interface BotDraft extends OwnerActor {
  username: string;
  displayName?: string | undefined;
  description?: string | undefined;
  metadata?: Metadata | undefined;
  visibility?: Visibility | undefined;
}

/**
 * Creates a bot and its first token.
 *
 * @param cap the most that the owner may have
 * @throws InvalidInput when the owner has as many already, the username is taken, whatever its case, or the metadata are
 *   too much
 */
export async function createBot(
  store: Store,
  draft: BotDraft,
  cap: OwnerCap,
): Promise<{ bot: Bot; token: IssuedToken }> {
  const metadata = draft.metadata && encodeMetadata(draft.metadata);
  const { token, tokenHash } = issueToken();
  const newBot = {
    id: newId(),
    botUserId: newId(),
    ownerUserId: draft.ownerUserId,
    isPlatform: draft.isPlatform,
    audit: draft.audit,
    username: draft.username,
    displayName: draft.displayName ?? draft.username,
    description: draft.description ?? "",
    createdAt: token.createdAt,
    updatedAt: token.createdAt,
    tokenHash,
    ...(metadata ? { metadata } : {}),
    ...(draft.visibility === "listed" ? { visibility: draft.visibility } : {}),
  };
  const bot = await store.createBot(newBot, cap.most);
  if (bot === "too many") {
    throw new InvalidInput(capReached(cap, "bot"), "too_many_bots");
  }
  if (!bot)
    throw new InvalidInput(`username "${draft.username}" is already taken: choose another`, "username_taken");
  return { bot, token };
}
