import { setTimeout as sleep } from "node:timers/promises";
import { InvalidInput } from "../../domain/errors.js";
import type { OwnerStanding } from "../../domain/owners/standing.js";
import type { Audited, OwnerEdit, Store } from "../../store/store.js";
import { encodeMetadata, type Metadata } from "../encode-metadata.js";

/** Timers may fire a little early. */
const MARGIN_MS = 5;

/** Fields that are left out stay unchanged. */
export interface OwnerDecision {
  suspended?: boolean | undefined;
  reason?: string | undefined;
  limits?: OwnerEdit["limits"];
  metadata?: Metadata | undefined;
}

/**
 * Stores what the platform decides about an owner. Once this resolves all instances go by it: tokens of a suspended owner and of
 * their bots are refused, and no instance starts an attempt to one of their webhooks.
 *
 * @throws InvalidInput when it suspends without a reason one who is not suspended, has a reason without that, changes nothing, or the metadata are too much
 */
export async function putOwner(
  store: Store,
  ownerUserId: string,
  { suspended, reason, limits, metadata }: OwnerDecision,
  { audit }: Audited = {},
): Promise<OwnerStanding> {
  // One who is suspended already stays so for the reason that was given.
  const why = reason ?? (suspended ? (await store.findOwner(ownerUserId))?.suspensionReason : undefined);
  if (suspended && !why?.trim())
    throw new InvalidInput("reason must say why the owner is suspended: they see it with each refusal");
  if (!suspended && reason !== undefined)
    throw new InvalidInput("reason goes with suspended: true only", "conflicting_parameters");
  if (suspended === undefined && limits === undefined && metadata === undefined)
    throw new InvalidInput("the body must have suspended, limits or metadata", "nothing_to_change");
  const edit: OwnerEdit = {
    audit,
    limits,
    metadata: metadata && encodeMetadata(metadata),
    suspension: suspended ? { reason: why ?? "" } : suspended === false ? null : undefined,
  };
  const { owner, outlastMs } = await store.putOwner(ownerUserId, edit, Date.now());
  if (outlastMs > 0) await sleep(outlastMs + MARGIN_MS);
  return owner;
}
