import type { Bot } from "../../domain/bots/bot.js";
import type { BotRef, Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";
import { found } from "../found.js";

/** Fields that are left out stay unchanged. */
export interface BotChanges {
  displayName?: string | undefined;
  description?: string | undefined;
  metadata?: Metadata | undefined;
}

/**
 * Changes the given fields.
 *
 * @throws InvalidInput when the metadata are too much
 * @throws NotFound
 */
export async function editBot(store: Store, bot: BotRef, changes: BotChanges): Promise<Bot> {
  const { displayName, description } = changes;
  const metadata = changes.metadata && encodeMetadata(changes.metadata);
  return found(
    await store.editBot(bot, { displayName, description, metadata, updatedAt: Date.now() }),
    "bot",
  );
}
