import { InvalidInput } from "../../domain/errors.js";
import type { EventTarget } from "../../domain/events/event.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../found.js";

/** The channel or bot of a batch item. An external id belongs to the owner who sends the batch. */
export type BatchTarget = EventTarget | { externalId: string };

/** A channel or a bot, and its owner. */
export type OwnedTarget = { ownerUserId: string } & EventTarget;

/**
 * Finds the targets of a batch's items, with at most two reads.
 *
 * @param ownerUserId whose batch it is; undefined for the platform's batch for any owners
 * @param named what each item names, or the error with which it fails
 * @returns for each item its target, or the error with which it fails
 */
export async function findTargets(
  store: Store,
  ownerUserId: string | undefined,
  named: readonly (BatchTarget | Error)[],
): Promise<(OwnedTarget | Error)[]> {
  const targets = named.filter((target): target is BatchTarget => !(target instanceof Error));
  const externalIds = targets.flatMap((target) => ("externalId" in target ? [target.externalId] : []));
  const idOf = ownerUserId === undefined ? undefined : await externalIdsOf(store, ownerUserId, externalIds);
  const holderOf = ownerUserId === undefined ? await holdersOf(store, targets) : () => ownerUserId;

  return named.map((target) => {
    if (target instanceof Error) return target;
    if ("externalId" in target) {
      if (ownerUserId === undefined || !idOf) {
        return new InvalidInput("external_id needs Botyard-Owner: it is one owner's id", "owner_needed");
      }
      const channelId = idOf(target.externalId);
      return channelId === undefined ? notFound("channel") : { ownerUserId, channelId };
    }
    const owner = holderOf("botId" in target ? target.botId : target.channelId);
    if (owner !== undefined) return { ownerUserId: owner, ...target };
    return notFound("botId" in target ? "bot" : "channel");
  });
}

async function externalIdsOf(store: Store, ownerUserId: string, externalIds: readonly string[]) {
  if (externalIds.length === 0) return () => undefined;
  const ids = await store.findExternalIds({ ownerUserId, externalIds });
  return (externalId: string) => ids.get(externalId);
}

async function holdersOf(store: Store, targets: readonly BatchTarget[]) {
  const ids = targets.flatMap((target) => {
    if ("externalId" in target) return [];
    return ["botId" in target ? target.botId : target.channelId];
  });
  const holders = ids.length > 0 ? await store.findHolders(ids) : new Map<string, string>();
  return (id: string) => holders.get(id);
}
