import type { EventEmitter } from "node:events";
import type { StoredWebhook } from "../../domain/delivery/webhook.js";
import type { ConsumerPoll } from "../../domain/events/consumer.js";
import {
  type ChannelRef,
  FEED,
  OwnerElsewhere,
  PLATFORM,
  type SealedSecret,
  type Store,
  type StoreEvents,
  StoreUnavailable,
  type UpkeepResult,
  type UpkeepTask,
} from "../store.js";
import { READS, type StoreVerbs, type Verb } from "../verbs.js";
import type { Cell, Cells } from "./cell.js";
import type { Directory } from "./directory.js";
import { directoryVerbs } from "./directory-verbs.js";
import type { FeedConsumers } from "./feed/feed-consumers.js";
import { crossingVerbs } from "./guests/crossing.js";
import type { Relay } from "./guests/relay.js";
import { isNothing } from "./is-nothing.js";
import type { Locations } from "./locations.js";
import { createMovedErasure, DELETIONS } from "./moves/moved-erasure.js";
import { type Moves, moving } from "./moves/moves.js";
import { CELL_ONLY, ROUTES, type RoutedVerb, type RoutingKey, SPLIT_BY_OWNER } from "./routes.js";

type AnyVerb = (...parameters: unknown[]) => Promise<unknown>;

/** Verbs that concern all cells: those that have no other place here, so that one that is added needs one. */
export type SpanningVerb = Exclude<
  Verb,
  | RoutedVerb
  | keyof typeof SPLIT_BY_OWNER
  | (typeof CELL_ONLY)[number]
  | "authenticateBot"
  | "readSuspension"
  | "findHolders"
  | "runUpkeep"
>;

export interface CellsStoreOptions {
  cells: Cells;
  locations: Locations;
  moves: Moves;
  directory: Directory;
  events: EventEmitter<StoreEvents>;
  spanning: Pick<Store, SpanningVerb>;
  /** The verbs about consumers, of the feed. */
  feed: FeedConsumers;
  relay: Relay;
  /** Called with each write, before it is done. */
  onWrite(cell: Cell): void;
  close(): Promise<void>;
}

/** Of the verbs about consumers that take a log, what is done when that is the feed. */
const OF_FEED = {
  findConsumer: "find",
  openConsumer: "open",
  moveConsumer: "move",
  listConsumers: "list",
  deleteConsumer: "delete",
} as const satisfies Partial<Record<Verb, keyof FeedConsumers>>;

/**
 * Verbs whose empty result is not worth a second look at where the owner lives: what they wait for comes as a hint, or the write that
 * follows finds out.
 */
const TRUSTED: ReadonlySet<Verb> = new Set<Verb>([
  "findKeyed",
  "readUpdates",
  "readConsumed",
  "readLogGap",
  "findNumbersAt",
  "holdConsumer",
  "readTargetAge",
  "readSubscription",
]);

/**
 * The stores of all cells as one: each verb runs in the cell of the owner whose it is. Where that is is remembered, and may be out of date.
 * The rows of an owner who has moved are gone, so whatever is looked for there is not found: then the cell is asked whether the owner has
 * left, and the verb runs again where they live now.
 */
export function createCellsStore(options: CellsStoreOptions): Store {
  const { cells, locations, moves, directory, events, spanning, feed, relay, onWrite } = options;

  const movedErasure = createMovedErasure(cells, directory);

  const first = (): Cell => {
    const [cell] = cells();
    if (!cell) throw new StoreUnavailable("this instance serves no cell");
    return cell;
  };

  const run = async (
    cell: Cell,
    owner: string,
    verb: Verb,
    parameters: unknown[],
    isAgain = false,
  ): Promise<unknown> => {
    const isWrite = !READS.has(verb);
    if (isWrite) {
      moves.refuseWhilePaused(owner);
      onWrite(cell);
      if (DELETIONS.has(verb)) await movedErasure.before(parameters[0] as ChannelRef, owner, cell);
    }
    let result: unknown;
    let isRefused = false;
    try {
      result = await call(cell.store, verb, parameters);
    } catch (error) {
      if (!(error instanceof OwnerElsewhere)) throw error;
      isRefused = true;
    }
    if (!isNothing(result) || TRUSTED.has(verb)) return result;
    const hasLeft = await moves.hasLeft(owner, cell, isWrite);
    if (!hasLeft && !isRefused) return result;
    // What concerned a bot of another owner, who has left in this moment, finds it as a guest.
    if (!hasLeft && !isAgain) return await run(cell, owner, verb, parameters, true);
    const home = hasLeft ? await locations.findCellOf(owner) : undefined;
    if (!home || home === cell) throw moving();
    return await run(home, owner, verb, parameters);
  };

  /** With what is remembered, without waiting: it is called for each post. */
  const runAt = (key: RoutingKey, verb: Verb, parameters: unknown[]): Promise<unknown> => {
    const owner = locations.ownerOf(key);
    const home = owner === undefined ? undefined : locations.cellOf(owner);
    return home ? run(home, owner as string, verb, parameters) : findAndRun(key, verb, parameters);
  };

  const findAndRun = async (key: RoutingKey, verb: Verb, parameters: unknown[]): Promise<unknown> => {
    const owner = await locations.findOwnerOf(key);
    // What belongs to nobody is in no cell, and any of them says so.
    if (owner === undefined || owner === PLATFORM) return await call(first().store, verb, parameters);
    const home = READS.has(verb) ? await locations.findCellOf(owner) : await locations.assignOwner(owner);
    if (!home) return await call(first().store, verb, parameters);
    return await run(home, owner, verb, parameters);
  };

  const verbs: Partial<Record<Verb, AnyVerb>> = { ...(spanning as unknown as Record<SpanningVerb, AnyVerb>) };
  for (const verb of Object.keys(ROUTES) as RoutedVerb[]) {
    const keyOf = ROUTES[verb] as (...parameters: unknown[]) => RoutingKey;
    verbs[verb] = (...parameters) => runAt(keyOf(...parameters), verb, parameters);
  }
  for (const verb of Object.keys(OF_FEED) as (keyof typeof OF_FEED)[]) {
    const ofBot = verbs[verb] as AnyVerb;
    const ofFeed = feed[OF_FEED[verb]] as AnyVerb;
    verbs[verb] = (log, ...rest) => (log === FEED ? ofFeed(...rest) : ofBot(log, ...rest));
  }
  for (const verb of Object.keys(SPLIT_BY_OWNER) as (keyof typeof SPLIT_BY_OWNER)[]) {
    const keyOf = SPLIT_BY_OWNER[verb] as (item: unknown) => RoutingKey;
    verbs[verb] = (given, ...rest) => {
      const items = given as unknown[];
      if (items.length === 1) return runAt(keyOf(items[0]), verb, [items, ...rest]);
      return split(items, keyOf, (key, part) => runAt(key, verb, [part, ...rest]));
    };
  }
  const { listAudit, noteConsumerPolls } = verbs;
  verbs.listAudit = (owner, ...rest) =>
    owner === undefined
      ? (listAudit as AnyVerb)(owner, ...rest)
      : runAt({ owner: owner as string }, "listAudit", [owner, ...rest]);
  verbs.runUpkeep = async (task, limit) => {
    const { ownerUserId: owner = PLATFORM } = task as { ownerUserId?: string };
    const result = (await runAt({ owner }, "runUpkeep", [task, limit])) as UpkeepResult;
    return await movedErasure.runUpkeep(result, owner, task as UpkeepTask, limit as number);
  };
  verbs.noteConsumerPolls = async (polls) => {
    const [ofFeed, ofBots] = [[], []] as [ConsumerPoll[], ConsumerPoll[]];
    for (const poll of polls as ConsumerPoll[]) (poll.botId === FEED ? ofFeed : ofBots).push(poll);
    if (ofFeed.length > 0) await (noteConsumerPolls as AnyVerb)(ofFeed);
    await split(
      ofBots,
      ({ botId }) => ({ id: botId }),
      (key, part) => runAt(key, "noteConsumerPolls", [part]),
    );
  };
  for (const verb of CELL_ONLY)
    verbs[verb] = async (...parameters) => await call(first().store, verb, parameters);

  const known = verbs as unknown as StoreVerbs;
  const told = { ...known, ...learning(known, locations) };
  const listed = { ...told, ...directoryVerbs(told, { directory, locations, cells, runAt }) };
  return {
    events,
    ...listed,
    ...crossingVerbs(listed, { cells, locations, moves, relay }),
    close: options.close,
  };
}

function call(store: Store, verb: Verb, parameters: unknown[]): Promise<unknown> {
  return (store[verb] as AnyVerb)(...parameters);
}

/** Runs a verb for each owner, or thing, that some items name, side by side; the results are in the order of the items. */
async function split<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => RoutingKey,
  runPart: (key: RoutingKey, part: (Item | undefined)[]) => Promise<unknown>,
): Promise<unknown[]> {
  const parts = new Map<string, { key: RoutingKey; indexes: number[] }>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    const text = "owner" in key ? `owner ${key.owner}` : key.id;
    const part = parts.get(text);
    if (part) part.indexes.push(index);
    else parts.set(text, { key, indexes: [index] });
  }
  const results: unknown[] = Array.from({ length: items.length });
  await Promise.all(
    [...parts.values()].map(async ({ key, indexes }) => {
      const found = (await runPart(
        key,
        indexes.map((index) => items[index]),
      )) as unknown[] | undefined;
      for (const [at, index] of indexes.entries()) results[index] = found?.[at];
    }),
  );
  return results;
}

/** Verbs from whose results the owners of bots, channels and destinations are learnt: those who ask for these by their ids have found them before. */
function learning(verbs: StoreVerbs, locations: Locations): Partial<StoreVerbs> {
  const learning: Partial<Record<Verb, AnyVerb>> = {};
  const wrap = (
    verb: Verb,
    learn: (result: unknown, parameters: unknown[]) => void | Promise<void>,
  ): void => {
    const inner = verbs[verb] as AnyVerb;
    learning[verb] = async (...parameters) => {
      const result = await inner(...parameters);
      if (!isNothing(result)) await learn(result, parameters);
      return result;
    };
  };
  for (const verb of [
    "findBot",
    "editBot",
    "createChannel",
    "findChannel",
    "editChannel",
    "findExternalChannel",
    "findDirectChannel",
    "createDirectChannel",
    "findAttachedChannel",
  ] as const)
    wrap(verb, learnOwned);
  const owned = (ref: unknown): string => (ref as { ownerUserId: string }).ownerUserId;
  wrap("findDestination", (id, [ref]) => locations.learn(id as string, owned(ref)));
  wrap("readStoredWebhook", (found, [ref]) => {
    const { id } = found as StoredWebhook;
    if (id !== undefined) locations.learn(id, owned(ref));
  });
  wrap("listSealedSecrets", (found) => {
    for (const { destinationId, ownerUserId } of found as SealedSecret[])
      locations.learn(destinationId, ownerUserId);
  });
  for (const verb of ["findWebhookLog", "openWebhookLog"] as const)
    wrap(verb, (id, [, owner]) => locations.learn(id as string, owner as string));
  // A bot is told nothing of who holds its channels.
  wrap("findMembership", (_, [botId, channelId]) =>
    learnHolder(channelId as string, locations.ownerOf({ id: botId as string })),
  );
  wrap("findPost", (_, [reader, channelId]) =>
    "botId" in (reader as object)
      ? learnHolder(channelId as string, locations.ownerOf({ id: (reader as { botId: string }).botId }))
      : locations.learn(channelId as string, (reader as { ownerUserId: string }).ownerUserId),
  );
  return learning as Partial<StoreVerbs>;

  function learnOwned(result: unknown): void {
    const { id, ownerUserId } = result as { id?: unknown; ownerUserId?: unknown };
    if (typeof id === "string" && typeof ownerUserId === "string") locations.learn(id, ownerUserId);
  }

  async function learnHolder(channelId: string, near: string | undefined): Promise<void> {
    if (locations.ownerOf({ id: channelId }) === undefined)
      await locations.findOwnerOf({ id: channelId }, near);
  }
}
