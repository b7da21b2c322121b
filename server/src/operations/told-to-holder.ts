import type { AuditContext } from "../store/store.js";

/** What a bot does in a channel of another owner is in the holder's audit log, too: it names the bot, and neither whose it is nor a token of theirs. */
export function toldToHolder(
  audit: AuditContext | undefined,
  botId: string,
  holder: string,
): AuditContext | undefined {
  if (!audit || audit.ownerUserId === holder) return audit;
  return { ...audit, also: { ownerUserId: holder, by: { type: "bot", id: botId, tokenId: "" } } };
}
