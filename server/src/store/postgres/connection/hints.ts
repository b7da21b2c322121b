import { randomUUID } from "node:crypto";
import type { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { LogHead, StoreEvents } from "../../store.js";
import { CHANNEL, useSchema } from "../schema/database-schema.js";
import { createClient, type DatabaseAddress } from "./client.js";
import {
  CLOSE_TIMEOUT_MS,
  type Database,
  QUERY_TIMEOUT_MS,
  REQUIRED_SETTINGS,
  type Statement,
} from "./connection.js";
import { unavailable } from "./errors.js";

/** Notifies other instances of changes and receives their notifications. Any notification may be lost without harm. */
export interface Hints {
  appended(heads: readonly LogHead[]): void;
  laneChanged(botId: string): void;
  credentialsChanged(botId: string): void;
  ownerChanged(ownerUserId: string): void;
  consumerRewound(botId: string): void;
  postsErased(postId: string): void;
  upkeepWanted(): void;
  close(): Promise<void>;
}

export interface HintsOptions extends DatabaseAddress {
  database: Database;
  /** Where hints of other instances are emitted. */
  events: EventEmitter<StoreEvents>;
  onError(error: Error): void;
}

/** Notifying takes a lock that the whole database shares, so an instance notifies at most this often. */
const DEBOUNCE_MS = 8;
/** PostgreSQL takes payloads of up to 8,000 bytes; an entry needs at most 60. */
const ENTRIES_PER_MESSAGE = 120;
/** A user id may need a thousand of them. */
const OWNERS_PER_MESSAGE = 7;
const RECONNECT_MS = 500;

/** Bits: the lane of the bot's webhook `default` can be claimed; one of its other webhooks is open; and can be claimed. */
const CLAIMABLE = 1;
const FURTHER_OPEN = 2;
const FURTHER_CLAIMABLE = 4;

/** A hint may be lost, so the commit does not wait for the disk. */
const NOTIFY: Statement = {
  name: "notify",
  text: `
    WITH unsynced AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    SELECT pg_notify(${CHANNEL}, message) FROM unsynced, unnest($1::text[]) AS message`,
};

/** `null` stands for a changed lane, a number for the head of a log, with the bits of what can be claimed. */
interface Message {
  from: string;
  bots: [botId: string, lastUpdateId: number | null, claimable?: number][];
  /** Bots whose credentials changed. */
  changed?: string[];
  /** Owners about whom the platform has decided something. */
  owners?: string[];
  /** Bots of which a consumer was rewound. */
  rewound?: string[];
  /** Posts that were erased. */
  erased?: string[];
  /** Owners who move to another cell, or have come from one. */
  moved?: string[];
  isUpkeepWanted?: true;
}

/** Tells all services of the schema, from a session that is no service's. */
export async function notifyServices(
  client: pg.ClientBase,
  { laneChanged = [], moved = [] }: { laneChanged?: readonly string[]; moved?: string[] },
): Promise<void> {
  const message: Message = { from: "", bots: laneChanged.map((botId) => [botId, null]), moved };
  await client.query(NOTIFY.text, [[JSON.stringify(message)]]);
}

/**
 * Hints keep no posts, in a map that is replaced for each message. When a map is cleared or grows, V8 gives it a new
 * hash table, and the old table points at the new one. Once one table is in the old generation, all later ones are
 * promoted with everything in them, and stay until the next full garbage collection. That promoted every post: 10.7
 * MB/s at 5,200 posts a second; now it is 5.7.
 */
type Head = Pick<LogHead, "lastUpdateId"> & { claimable: number };

/** Starts listening in the background, on a separate connection that is opened again whenever it breaks. */
export function startHints({ url, schema, cell, database, events, onError }: HintsOptions): Hints {
  const self = randomUUID();
  let heads = new Map<string, Head>();
  let lanes = new Set<string>();
  let credentials = new Set<string>();
  let changedOwners = new Set<string>();
  let rewoundBots = new Set<string>();
  let erasedPosts = new Set<string>();
  let upkeepRequests = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let hasListened = false;
  let listener: pg.Client | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  const receive = (text: string | undefined): void => {
    const message = readMessage(text);
    const { from, bots, changed = [], owners = [], rewound = [], erased = [], moved = [] } = message;
    if (from === self) return;
    if (message.isUpkeepWanted) events.emit("upkeepWanted");
    for (const postId of erased) events.emit("postsErased", postId);
    for (const ownerUserId of owners) events.emit("ownerChanged", ownerUserId);
    for (const ownerUserId of moved) events.emit("ownerMoved", ownerUserId);
    for (const botId of changed) events.emit("credentialsChanged", botId);
    for (const botId of rewound) events.emit("consumerRewound", botId);
    const grown: LogHead[] = [];
    for (const [botId, lastUpdateId, claimable = 0] of bots) {
      if (lastUpdateId === null) events.emit("laneChanged", botId);
      else grown.push({ botId, lastUpdateId, ...claimableOf(claimable) });
    }
    if (grown.length > 0) events.emit("appended", grown);
  };

  const listen = async (): Promise<void> => {
    const client = createClient({ url, schema, cell }, { query_timeout: QUERY_TIMEOUT_MS });
    listener = client;
    const again = (error?: Error): void => {
      if (closed || listener !== client) return;
      listener = undefined;
      if (error) onError(unavailable(error));
      client.end().catch(() => {});
      reconnect = setTimeout(() => void listen(), RECONNECT_MS);
    };
    client.on("error", again).on("end", () => again());
    client.on("notification", ({ payload }) => receive(payload));
    try {
      await client.connect();
      await client.query(`${REQUIRED_SETTINGS}; ${useSchema(schema)}`);
      const { rows } = await client.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`);
      await client.query(`LISTEN ${pg.escapeIdentifier(rows[0]?.channel ?? "")}`);
      events.emit(hasListened ? "hintsLost" : "listeningBegan");
      hasListened = true;
    } catch (error) {
      again(error as Error);
    }
  };

  const send = async (): Promise<void> => {
    const bots: Message["bots"] = [];
    for (const [botId, { lastUpdateId, claimable }] of heads)
      bots.push(claimable > 0 ? [botId, lastUpdateId, claimable] : [botId, lastUpdateId]);
    for (const botId of lanes) bots.push([botId, null]);
    heads = new Map();
    const messages: string[] = [];
    const add = (message: Message) => messages.push(JSON.stringify(message));
    for (const part of partsOf(bots)) add({ from: self, bots: part });
    for (const part of partsOf([...credentials])) add({ from: self, bots: [], changed: part });
    for (const part of partsOf([...changedOwners], OWNERS_PER_MESSAGE))
      add({ from: self, bots: [], owners: part });
    for (const part of partsOf([...rewoundBots])) add({ from: self, bots: [], rewound: part });
    for (const part of partsOf([...erasedPosts])) add({ from: self, bots: [], erased: part });
    if (upkeepRequests > 0) add({ from: self, bots: [], isUpkeepWanted: true });
    lanes = new Set();
    credentials = new Set();
    changedOwners = new Set();
    rewoundBots = new Set();
    erasedPosts = new Set();
    upkeepRequests = 0;
    try {
      await database.query(NOTIFY, [messages]);
    } catch (error) {
      onError(error as Error);
    }
    const waiting = [heads, lanes, credentials, changedOwners, rewoundBots, erasedPosts];
    const hasMore = waiting.some(({ size }) => size > 0) || upkeepRequests > 0;
    timer = hasMore && !closed ? setTimeout(() => void send(), DEBOUNCE_MS) : undefined;
  };
  const queueSend = (): void => {
    if (!closed) timer ??= setTimeout(() => void send(), DEBOUNCE_MS);
  };

  void listen();
  return {
    appended(grown) {
      for (const { botId, lastUpdateId, isClaimable, isFurtherClaimable } of grown) {
        const claimable = bitsOf(isClaimable, isFurtherClaimable);
        if (lastUpdateId > (heads.get(botId)?.lastUpdateId ?? 0))
          heads.set(botId, { lastUpdateId, claimable });
      }
      queueSend();
    },
    laneChanged(botId) {
      lanes.add(botId);
      queueSend();
    },
    credentialsChanged(botId) {
      credentials.add(botId);
      queueSend();
    },
    ownerChanged(ownerUserId) {
      changedOwners.add(ownerUserId);
      queueSend();
    },
    consumerRewound(botId) {
      rewoundBots.add(botId);
      queueSend();
    },
    postsErased(postId) {
      erasedPosts.add(postId);
      queueSend();
    },
    upkeepWanted() {
      upkeepRequests += 1;
      queueSend();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(reconnect);
      await Promise.race([listener?.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

function bitsOf(isClaimable: boolean, isFurtherClaimable: boolean | undefined): number {
  const further = isFurtherClaimable === undefined ? 0 : FURTHER_OPEN;
  return (isClaimable ? CLAIMABLE : 0) + further + (isFurtherClaimable ? FURTHER_CLAIMABLE : 0);
}

function claimableOf(bits: number): Pick<LogHead, "isClaimable" | "isFurtherClaimable"> {
  const isClaimable = (bits & CLAIMABLE) > 0;
  if ((bits & FURTHER_OPEN) === 0) return { isClaimable };
  return { isClaimable, isFurtherClaimable: (bits & FURTHER_CLAIMABLE) > 0 };
}

/** Splits entries into parts that fit into a message. */
function partsOf<Entry>(entries: readonly Entry[], size = ENTRIES_PER_MESSAGE): Entry[][] {
  const parts: Entry[][] = [];
  for (let first = 0; first < entries.length; first += size) {
    parts.push(entries.slice(first, first + size));
  }
  return parts;
}

/** Anybody who can use the database can notify on this channel, so unknown messages are ignored. */
function readMessage(text: string | undefined): Message {
  try {
    const message = JSON.parse(text ?? "") as Partial<Message> | null;
    const { from, bots, changed = [], owners = [], rewound = [], erased = [], moved = [] } = message ?? {};
    const areLists = [changed, owners, rewound, erased, moved].every(Array.isArray);
    if (from !== undefined && bots?.every(Array.isArray) && areLists) return { ...message, from, bots };
  } catch {
    // Not JSON.
  }
  return { from: "", bots: [] };
}
