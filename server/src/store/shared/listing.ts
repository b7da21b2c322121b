import type { BotProfile, FullProfile } from "../../domain/bots/listing.js";
import { omitNulls } from "./omit-nulls.js";

/** Listed bots that one call looks at, whether or not it returns them. */
export const ROWS_LOOKED_AT = 1000;

/** SQL for where a listed bot `b` stands with the platform. */
export const REVIEW_STATE = "coalesce(b.review_status, 'waiting')";

/**
 * SQL for whether a bot `b` whose owner has listed it is offered to other owners.
 *
 * @param rule SQL of the rule of reviews
 */
export const isOffered = (rule: string) =>
  `b.disabled_at IS NULL AND ${REVIEW_STATE} <> 'rejected' AND (${rule} = 'off' OR ${REVIEW_STATE} = 'approved')`;

/** As SQLite tells it: 0 or 1. */
type Stored<Profile extends BotProfile> = { [Name in keyof Profile]: Profile[Name] | 0 | 1 };

/** A profile from a row of either engine. */
export function profileOf(row: unknown): BotProfile {
  const profile = omitNulls<Stored<BotProfile>>(row);
  return { ...(profile as BotProfile), isAttachedByYou: Boolean(profile.isAttachedByYou) };
}

export function fullProfileOf(row: unknown): FullProfile {
  const profile = omitNulls<Stored<FullProfile>>(row);
  return { ...(profile as FullProfile), ...profileOf(row), isOffered: Boolean(profile.isOffered) };
}
