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

/** What a message only names, by its fields: the event that it causes, and how many names fit into it. */
const NAMED = {
  /** Bots whose credentials changed. */
  changed: { emits: "credentialsChanged", most: ENTRIES_PER_MESSAGE },
  /** Owners about whom the platform has decided something. */
  owners: { emits: "ownerChanged", most: OWNERS_PER_MESSAGE },
  /** Bots of which a consumer was rewound. */
  rewound: { emits: "consumerRewound", most: ENTRIES_PER_MESSAGE },
  /** Posts that were erased. */
  erased: { emits: "postsErased", most: ENTRIES_PER_MESSAGE },
  /** Owners who move to another cell, or have come from one. */
  moved: { emits: "ownerMoved", most: OWNERS_PER_MESSAGE },
} as const;
type Field = keyof typeof NAMED;
const FIELDS = Object.keys(NAMED) as Field[];

/** `null` stands for a changed lane, a number for the head of a log, with the bits of what can be claimed. */
interface Message extends Partial<Record<Field, string[]>> {
  from: string;
  bots: [botId: string, lastUpdateId: number | null, claimable?: number][];
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
  let named = noNames();
  let isUpkeepWanted = false;
  let hasMore = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let hasListened = false;
  let listener: pg.Client | undefined;
  let reconnect: NodeJS.Timeout | undefined;

  const receive = (text: string | undefined): void => {
    const message = readMessage(text);
    if (message.from === self) return;
    if (message.isUpkeepWanted) events.emit("upkeepWanted");
    for (const field of FIELDS) for (const id of message[field] ?? []) events.emit(NAMED[field].emits, id);
    const grown: LogHead[] = [];
    for (const [botId, lastUpdateId, claimable = 0] of message.bots) {
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
    for (const part of partsOf(bots, ENTRIES_PER_MESSAGE)) add({ from: self, bots: part });
    for (const field of FIELDS)
      for (const part of partsOf([...named[field]], NAMED[field].most))
        add({ from: self, bots: [], [field]: part });
    if (isUpkeepWanted) add({ from: self, bots: [], isUpkeepWanted: true });
    lanes = new Set();
    named = noNames();
    isUpkeepWanted = false;
    hasMore = false;
    try {
      await database.query(NOTIFY, [messages]);
    } catch (error) {
      onError(error as Error);
    }
    timer = undefined;
    if (hasMore) queueSend();
  };
  const queueSend = (): void => {
    hasMore = true;
    if (!closed) timer ??= setTimeout(() => void send(), DEBOUNCE_MS);
  };
  const name = (field: Field) => (id: string) => {
    named[field].add(id);
    queueSend();
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
    credentialsChanged: name("changed"),
    ownerChanged: name("owners"),
    consumerRewound: name("rewound"),
    postsErased: name("erased"),
    upkeepWanted() {
      isUpkeepWanted = true;
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

/** What is named until the next message: see {@link Head}. */
const noNames = () =>
  Object.fromEntries(FIELDS.map((field) => [field, new Set<string>()])) as Record<Field, Set<string>>;

/** Splits entries into parts that fit into a message. */
function partsOf<Entry>(entries: readonly Entry[], size: number): Entry[][] {
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
    const { from, bots } = message ?? {};
    const areLists = FIELDS.every((field) => message?.[field] === undefined || Array.isArray(message[field]));
    if (from !== undefined && bots?.every(Array.isArray) && areLists) return { ...message, from, bots };
  } catch {
    // Not JSON.
  }
  return { from: "", bots: [] };
}
