import type { BotRole, Membership } from "../../../domain/events/channel.js";

/** A bot's membership of a channel; without a role for an owner. */
export interface MembershipRow {
  role: BotRole | null;
  attachedAt: number | null;
}

export function membershipOf({ role, attachedAt }: MembershipRow): Membership | undefined {
  return role === null ? undefined : { role, ...(attachedAt !== null && { attachedAt }) };
}
