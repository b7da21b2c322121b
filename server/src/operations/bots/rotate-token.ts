import type { BotRef, Store } from "../../store/store.js";
import { notFound } from "../found.js";
import { type IssuedToken, issueToken } from "./issue-token.js";

/**
 * Gives a bot a new token. The old one is refused from the moment this resolves.
 *
 * @throws NotFound
 */
export async function rotateToken(store: Store, bot: BotRef): Promise<IssuedToken> {
  const { token, tokenHash } = issueToken();
  if (!(await store.replaceBotToken(bot, tokenHash))) throw notFound("bot");
  return token;
}
