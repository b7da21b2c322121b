import type { AuditEntry } from "../../domain/audit.js";
import type { Bot } from "../../domain/bots/bot.js";
import { type Command, decodeCommands } from "../../domain/bots/commands.js";
import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import type { BotChannel, Channel } from "../../domain/events/channel.js";
import { INTERACTION_CREATED, type StoredEvent } from "../../domain/events/event.js";
import type { Post } from "../../domain/events/post.js";
import type { Subscription } from "../../domain/events/subscription.js";
import type { TrackedUpdate } from "../../domain/events/update.js";
import { AFTER_ALL_IDS } from "../../domain/ids.js";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";
import type { ChannelRef, NamedWebhook, Store } from "../../store/store.js";
import { readLogWebhook } from "../webhooks/log-webhook.js";

/**
 * A position in an export: after this item. `parentId` is the channel or bot that the item belongs to, or the item's
 * own id; empty for the alerts and the audit log.
 */
export interface ExportPosition {
  type: ExportItem["type"];
  parentId: string;
  /** Within its parent: an id, or the number of an update. */
  itemId?: string;
}

/** One thing of an owner. */
export type ExportItem =
  | { type: "alerts"; webhook: WebhookConfig }
  | {
      type: "bot";
      bot: Bot;
      subscription: Subscription | null;
      commands: Command[];
      webhooks: NamedWebhook[];
    }
  | { type: "channel"; channel: Channel }
  | { type: "post"; channelId: string; post: Post }
  | { type: "event"; channelId: string; event: StoredEvent }
  | { type: "attachment"; botId: string; channel: BotChannel }
  | { type: "bot event"; botId: string; event: StoredEvent }
  | { type: "update"; botId: string; update: TrackedUpdate }
  | { type: "audit"; entry: AuditEntry };

/** Of up to 32 KiB each. */
const EVENTS_PER_PAGE = 20;

/**
 * The order of an export: the webhook for alerts, all bots with their webhooks, then each channel with its posts and other events, then the attachments, events and
 * updates of each bot, and at last the audit log.
 */
const PART = {
  alerts: 0,
  bot: 0,
  channel: 1,
  post: 1,
  event: 1,
  attachment: 2,
  "bot event": 2,
  update: 2,
  audit: 3,
} as const;

/**
 * Everything that an owner has, without tokens and secrets, read page by page; bots and channels in the order of their
 * ids, their content newest first. Items that are created or removed meanwhile may be included or not.
 *
 * In memory are the ids of all bots and channels, about 100 bytes each, and one page of everything else.
 *
 * @param after continues after this position, also when the item there was removed
 */
export async function* exportOwner(
  store: Store,
  ownerUserId: string,
  after?: ExportPosition,
): AsyncGenerator<ExportItem[]> {
  const part = after ? PART[after.type] : 0;
  const botIds = (await store.listBots(ownerUserId)).map(({ id }) => id).sort();
  if (!after) yield* exportAlerts(store, ownerUserId);
  if (part === 0) yield* exportBots(store, ownerUserId, botIds, after?.parentId);
  if (part <= 1) {
    const channelIds = (await idsOfChannels(store, ownerUserId)).sort();
    const from = part === 1 ? after : undefined;
    for (const channelId of channelIds.filter((id) => id >= (from?.parentId ?? ""))) {
      const position = channelId === from?.parentId ? from : undefined;
      yield* exportChannel(store, { ownerUserId, channelId }, position);
    }
  }
  const from = part === 2 ? after : undefined;
  for (const botId of botIds.filter((id) => part <= 2 && id >= (from?.parentId ?? ""))) {
    yield* exportLog(store, botId, botId === from?.parentId ? from : undefined);
  }
  yield* exportAudit(store, ownerUserId, part === 3 ? after?.itemId : undefined);
}

async function* exportAlerts(store: Store, ownerUserId: string): AsyncGenerator<ExportItem[]> {
  const webhook = await readLogWebhook(store, { kind: "alerts", ownerUserId });
  if (webhook.url !== "") yield [{ type: "alerts", webhook }];
}

async function* exportBots(
  store: Store,
  ownerUserId: string,
  botIds: readonly string[],
  after = "",
): AsyncGenerator<ExportItem[]> {
  for (const botId of botIds.filter((id) => id > after)) {
    const bot = await store.findBot({ ownerUserId, botId });
    if (!bot) continue;
    const subscription = (await store.readSubscription(botId)) ?? null;
    const webhooks = (await store.listWebhooks({ ownerUserId, botId })) ?? [];
    const commands = decodeCommands((await store.readCommands(botId)) ?? null);
    yield [{ type: "bot", bot, subscription, commands, webhooks }];
  }
}

async function idsOfChannels(store: Store, ownerUserId: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await store.listChannels(ownerUserId, MAX_PAGE_ITEMS, ids.at(-1));
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

async function* exportChannel(
  store: Store,
  ref: ChannelRef,
  after: ExportPosition | undefined,
): AsyncGenerator<ExportItem[]> {
  const { channelId } = ref;
  const channel = await store.findChannel(ref);
  if (!channel) return;
  if (!after) yield [{ type: "channel", channel }];
  if (after?.type !== "event") {
    yield* exportPosts(store, channelId, after?.type === "post" ? after.itemId : undefined);
  }
  let before = after?.type === "event" ? after.itemId : undefined;
  for (;;) {
    const events = await store.listOtherEvents(channelId, EVENTS_PER_PAGE, before);
    if (events.length === 0) return;
    yield events.map((event) => ({ type: "event", channelId, event }));
    before = events.at(-1)?.id;
  }
}

async function* exportPosts(
  store: Store,
  channelId: string,
  after: string | undefined,
): AsyncGenerator<ExportItem[]> {
  const read = (before?: string) => store.listPosts(channelId, MAX_PAGE_ITEMS, before);
  for await (const posts of newestFirst(read, after)) {
    yield posts.map((post) => ({ type: "post", channelId, post }));
  }
}

/**
 * Pages of a list whose reader names the last item that it has, by its id: in another cell the item has another key.
 *
 * @param read of the items before that one; undefined when it is gone
 */
async function* newestFirst<Item extends { id: string }>(
  read: (before?: string) => Promise<Item[] | undefined>,
  after: string | undefined,
): AsyncGenerator<Item[]> {
  let before = after;
  /** When the item at the position was deleted: reads from the newest again, and leaves out what was exported. */
  let below = AFTER_ALL_IDS;
  for (;;) {
    const items = await read(before);
    if (items?.length === 0) return;
    if (items) {
      const further = items.filter(({ id }) => id < below);
      if (further.length > 0) yield further;
    } else if (before !== undefined && before < below) {
      below = before;
    }
    before = items?.at(-1)?.id;
  }
}

async function* exportLog(
  store: Store,
  botId: string,
  after: ExportPosition | undefined,
): AsyncGenerator<ExportItem[]> {
  if (after?.type !== "update" && after?.type !== "bot event") {
    // In one read, since a page may end at a channel that is deleted before the next is read.
    const channels = await store.listBotChannels(botId, Number.MAX_SAFE_INTEGER);
    const further = channels
      .filter(({ id }) => id > (after?.itemId ?? ""))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    if (further.length > 0) yield further.map((channel) => ({ type: "attachment", botId, channel }));
  }
  if (after?.type !== "update") {
    yield* exportBotEvents(store, botId, after?.type === "bot event" ? after.itemId : undefined);
  }
  let before = after?.type === "update" ? Number(after.itemId) : undefined;
  for (;;) {
    const updates = await store.listRecentUpdates(botId, MAX_PAGE_ITEMS, before);
    if (updates.length === 0) return;
    yield updates.map((update) => ({ type: "update", botId, update }));
    before = updates.at(-1)?.updateId;
  }
}

/** Events that the bot heard are among its updates as well, and interactions among the events of their channel. */
async function* exportBotEvents(
  store: Store,
  botId: string,
  after: string | undefined,
): AsyncGenerator<ExportItem[]> {
  const read = (before?: string) => store.listBotEvents(botId, EVENTS_PER_PAGE, before);
  for await (const events of newestFirst(read, after)) {
    const custom = events.filter(({ eventType }) => eventType !== INTERACTION_CREATED);
    if (custom.length > 0) yield custom.map((event) => ({ type: "bot event", botId, event }));
  }
}

async function* exportAudit(
  store: Store,
  ownerUserId: string,
  after: string | undefined,
): AsyncGenerator<ExportItem[]> {
  let before = after;
  for (;;) {
    const entries = await store.listAudit(ownerUserId, { before }, MAX_PAGE_ITEMS);
    if (entries.length === 0) return;
    yield entries.map((entry) => ({ type: "audit", entry }));
    before = entries.at(-1)?.id;
  }
}
