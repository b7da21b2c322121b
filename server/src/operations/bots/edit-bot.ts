import type { Bot } from "../../domain/bots/bot.js";
import type { Visibility } from "../../domain/bots/listing.js";
import type { BotRef, Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";
import { found } from "../found.js";

/** Fields that are left out stay unchanged. */
export interface BotChanges {
  displayName?: string | undefined;
  description?: string | undefined;
  metadata?: Metadata | undefined;
  visibility?: Visibility | undefined;
  /** Whether bots are listed only once they are approved: then listing one that was rejected asks for another review. */
  isReviewed?: boolean | undefined;
}

/**
 * Changes the given fields.
 *
 * @throws InvalidInput when the metadata are too much
 * @throws NotFound
 */
export async function editBot(store: Store, bot: BotRef, changes: BotChanges): Promise<Bot> {
  const { displayName, description, visibility, isReviewed: asksAgain } = changes;
  const metadata = changes.metadata && encodeMetadata(changes.metadata);
  return found(
    await store.editBot(bot, {
      displayName,
      description,
      metadata,
      visibility,
      asksAgain,
      updatedAt: Date.now(),
    }),
    "bot",
  );
}
