import { InvalidInput } from "../../domain/errors.js";
import type { BotRef, Store } from "../../store/store.js";
import { found } from "../found.js";

/**
 * Checks that something may be sent to a bot's webhooks at once, when somebody asks for it. What an owner has disabled themselves they may
 * try out; nothing goes to a webhook that the platform has taken out of service, whoever asks.
 *
 * @throws InvalidInput when the platform has disabled the bot, or suspended its owner
 * @throws NotFound
 */
export async function checkSendable(store: Store, { botId, ownerUserId }: BotRef): Promise<void> {
  const { disabledBy } = found(await store.findBot({ botId, ownerUserId }), "bot");
  if (disabledBy !== "platform" && disabledBy !== "suspension") return;
  const reason =
    disabledBy === "platform"
      ? "the platform disabled the bot: nothing is sent to its webhooks"
      : "the platform has suspended the owner of the bot: nothing is sent to its webhooks";
  throw new InvalidInput(reason, "bot_disabled");
}
