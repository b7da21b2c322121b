import { newId } from "../domain/ids.js";
import type { AuditContext } from "../store/store.js";

/**
 * What a bot does in a channel of another owner is in the holder's audit log, too: it names the bot, and neither whose it is nor a token of theirs.
 * Nor the request that erases its owner, since other bots leave by that one too, and it would be told that they are of one owner.
 */
export function toldToHolder(
  audit: AuditContext | undefined,
  botId: string,
  holder: string,
): AuditContext | undefined {
  if (!audit || audit.ownerUserId === holder) return audit;
  const also = { ownerUserId: holder, by: { type: "bot", id: botId, tokenId: "" } } as const;
  const isErased = audit.operation === "eraseOwner";
  return { ...audit, also: isErased ? { ...also, operation: "detachBot", requestId: newId() } : also };
}
