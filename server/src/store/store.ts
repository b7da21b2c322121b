import type { EventEmitter } from "node:events";
import type { Bot, BotIdentity } from "../domain/bot.js";
import type { Attachment, BotChannel, BotRole, Channel, ChannelBot } from "../domain/channel.js";
import type { StoredEvent } from "../domain/event.js";
import type { LaneSurvey } from "../domain/lane-survey.js";
import type { BotOverview } from "../domain/overview.js";
import type { StoredWebhook, WebhookConfig } from "../domain/webhook.js";
import type { ConsumerStore } from "./consumer-store.js";
import type { StoreEvents } from "./events.js";
import type { FeedStore } from "./feed-store.js";
import type { KeyStore } from "./key-store.js";
import type {
  ClaimedLanes,
  DueRead,
  DueUpdates,
  LaneClaim,
  LaneOutcomes,
  LaneRelease,
} from "./lane-shapes.js";
import type { LogStore } from "./log-store.js";
import type { PostStore } from "./post-store.js";
import type {
  BotEdit,
  BotPage,
  BotRef,
  ChannelRef,
  ChannelRevision,
  ExternalIds,
  NewBot,
  WebhookEdit,
} from "./verb-shapes.js";

export type { AttemptFailure, AttemptOutcome } from "../domain/attempt.js";
export type { ConsumedRead } from "./consumer-store.js";
export {
  createStoreEvents,
  type LogGrowth,
  type LogHead,
  type OnListenerError,
  type StoreEvents,
  updatesAbove,
} from "./events.js";
export * from "./feed-store.js";
export type * from "./lane-shapes.js";
export { StoreUnavailable } from "./unavailable.js";
export type * from "./verb-shapes.js";

/**
 * Where everything is kept: one durable, gapless log of updates per bot, and what belongs to it. The engines in
 * `sqlite/` and `postgres/` both keep this contract, and one conformance suite holds them to it.
 *
 * - A write is on disk before its promise resolves.
 * - Every verb is atomic. Calls made at the same time may share a transaction, never each other's failures.
 * - What does not exist, or belongs to another owner, gives `undefined` or `false`; the two are not distinguished.
 * - Any verb may reject with {@link StoreUnavailable}; then nothing of it was written, except when the answer to a commit was
 *   lost on the network: that write may have happened.
 * - Times are milliseconds since the Unix epoch.
 * - Pages end at `limit` items, and before the item with which their payloads would be more than `maxBytes`, 256 KiB when
 *   left out; the first item always fits. Only an empty page says that there is nothing more.
 */
export interface Store extends LogStore, KeyStore, PostStore, ConsumerStore, FeedStore {
  /** Hints of what changed. */
  readonly events: EventEmitter<StoreEvents>;

  // Bots. An owner reaches only their own.

  /**
   * @param maxBots the most that the owner may have; no bound when left out
   * @returns undefined when the username is taken, whatever its case
   */
  createBot(bot: NewBot, maxBots?: number): Promise<Bot | "too many" | undefined>;
  /** Oldest first. Nothing comes after what is no bot of the owner. */
  listBots(ownerUserId: string, page?: BotPage): Promise<Bot[]>;
  /** The same with the state of each; only this bot when one is named. */
  listOverviews(ownerUserId: string, now: number, page?: BotPage, botId?: string): Promise<BotOverview[]>;
  findBot(ref: BotRef): Promise<Bot | undefined>;
  editBot(ref: BotRef, edit: BotEdit): Promise<Bot | undefined>;
  /** Removes the bot, its token, attachments and log. Its username is free again; its posts stay in their channels. */
  deleteBot(ref: BotRef): Promise<boolean>;
  /** Disabling refuses the bot's token and pauses its deliveries; disabling again keeps the first time. */
  setBotDisabled(ref: BotRef, disabled: boolean, now: number): Promise<Bot | undefined>;
  /** Replaces the token. The old one is refused from the moment this resolves. */
  replaceBotToken(ref: BotRef, tokenHash: string): Promise<boolean>;
  /** The enabled bot a token belongs to. */
  authenticateBot(tokenHash: string): Promise<BotIdentity | undefined>;
  /**
   * The bot a token belonged to when it was last looked up, if that is remembered. It may be out of date: only for a caller
   * whose write is conditional on the token ({@link PostAuthor}), and who looks the token up before any other answer.
   */
  recallBot(tokenHash: string): BotIdentity | undefined;

  // Channels. Their holder reaches only their own; a bot those it is attached to.

  /** @returns undefined when the slug is taken, "external id taken" when the owner has such a channel */
  createChannel(channel: Channel): Promise<Channel | "external id taken" | undefined>;
  /**
   * Oldest first, created after the channel `after` when that is given.
   *
   * @returns undefined when `after` is no channel of the owner
   */
  listChannels(ownerUserId: string, limit: number, after?: string): Promise<Channel[] | undefined>;
  findChannel(ref: ChannelRef): Promise<Channel | undefined>;
  findExternalChannel(ownerUserId: string, externalId: string): Promise<Channel | undefined>;
  /** The ids of those of the owner's channels that have one of these external ids, by external id. */
  findExternalIds(ids: ExternalIds): Promise<Map<string, string>>;
  /** The owners of those of these channels and bots that exist, by id. */
  findHolders(ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * The bots that are attached to a channel, by creation, oldest first; those after the bot `after` when that is given.
   * Nothing comes after what is no bot of the owner.
   */
  listChannelBots(channelId: string, limit: number, after?: string): Promise<ChannelBot[]>;
  /** @returns "outdated", with nothing changed, when the channel is no longer as it was read */
  editChannel(ref: ChannelRef, revision: ChannelRevision): Promise<Channel | "outdated" | undefined>;
  /**
   * Removes a channel and detaches its bots. Its posts are erased later, by {@link Store.erasePosts}.
   *
   * @param event tells each of its bots that hears of it, as the last update that the channel causes
   */
  deleteChannel(ref: ChannelRef, event: StoredEvent): Promise<boolean>;
  /**
   * Attaches the owner's bot to the owner's channel; attaching again changes the role, if one is given.
   *
   * @param event tells the bot, if it hears of it
   * @param maxChannels the most that the bot may be attached to; no bound when left out
   */
  attachBot(
    ref: BotRef,
    channelId: string,
    event: StoredEvent,
    maxChannels?: number,
    role?: BotRole,
  ): Promise<Attachment | "too many" | undefined>;
  /**
   * @param event tells the bot, if it hears of it
   * @returns false when the bot is not the owner's or not attached
   */
  detachBot(ref: BotRef, channelId: string, event: StoredEvent): Promise<boolean>;
  /** The channels a bot is attached to, by creation, oldest first. */
  listBotChannels(botId: string): Promise<BotChannel[]>;

  // Webhooks.

  readWebhook(ref: BotRef): Promise<WebhookConfig | undefined>;
  /** A bot's webhook as it is stored, also while it is paused or its bot disabled. */
  readStoredWebhook(ref: BotRef): Promise<StoredWebhook | undefined>;
  /**
   * Sets a bot's webhook and makes everything undelivered due, at once and with a fresh schedule; a paused one stays
   * paused. What it skips counts as skipped and is never sent. In constant time: most of what waits for a retry is put back
   * later, by {@link Store.requeueScheduled}, and counts as pending from now on; so does most of what is skipped, until
   * that has done so.
   *
   * @returns "outdated", with nothing changed, when the webhook's version is no longer the one that the edit names
   */
  putWebhook(ref: BotRef, webhook: WebhookEdit, now: number): Promise<WebhookConfig | "outdated" | undefined>;
  /** Forgets URL and secret; waiting retries become pending again. In constant time, as setting one. */
  deleteWebhook(ref: BotRef, now: number): Promise<boolean>;
  /**
   * Pausing stops delivery, whatever the URL, until it is resumed or the webhook removed; pausing again keeps the first
   * time. After resuming the lane is due at once, with nothing held against its receiver.
   */
  setWebhookPaused(
    ref: BotRef,
    paused: boolean,
    now: number,
  ): Promise<WebhookConfig | "no webhook" | undefined>;
  /**
   * Makes failed updates due at once with a fresh schedule: terminal ones before those waiting for a retry, oldest first
   * in each.
   *
   * @returns how many, at most `limit`; undefined without such a bot
   */
  replayFailed(ref: BotRef, limit: number, now: number): Promise<number | undefined>;
  /** The same for those of the given updates that have failed or wait for a retry. */
  replayUpdates(ref: BotRef, updateIds: readonly number[], now: number): Promise<number | undefined>;

  // Delivery. A lane is what is due for one bot's webhook; whoever holds its lease sends from it.

  /**
   * Takes the lanes that are due and not held, longest due first, each with its first due updates. A lease that is not
   * renewed runs out, and the lane can be taken again.
   */
  claimLanes(claim: LaneClaim): Promise<ClaimedLanes>;
  /** What is due on lanes that are held: retries by age, then updates never attempted, in their order. */
  readDueUpdates(reads: readonly DueRead[], now: number): Promise<DueUpdates[]>;
  /**
   * A small step of putting back what was scheduled when a webhook was set or removed: updates of these bots that are
   * pending already become due in their rows as well, and what a webhook is not to be sent becomes skipped. What is due and not put back yet is not returned by
   * {@link Store.readDueUpdates}.
   */
  requeueScheduled(botIds: readonly string[]): Promise<void>;
  /**
   * Records outcomes, counts them, keeps the details of failures and moves each lane on. A failure never overwrites a
   * delivered state, and after a replay it does not end the new round.
   *
   * Outcomes of an earlier webhook, whose URL is no longer set, change nothing: their updates stay due. Only what it had
   * accepted before that change is delivered.
   */
  recordAttempts(lanes: readonly LaneOutcomes[]): Promise<void>;
  /**
   * Lets leases run for another `leaseMs` from now on.
   *
   * @returns the bots whose lanes `holder` no longer holds
   */
  renewLeases(holder: string, botIds: readonly string[], leaseMs: number): Promise<string[]>;
  /**
   * Gives lanes back; each is due again when its log has something to send. Of a lane that is no longer held only the counts
   * are kept.
   */
  releaseLanes(holder: string, lanes: readonly LaneRelease[], now: number): Promise<void>;

  // Upkeep.

  /**
   * One small step of keeping only recent updates: removes up to `limit` of those created before `before` and of those
   * of deleted bots. What was still undelivered counts as failed, or as skipped when there never was a webhook for it. On its
   * way it skips what webhooks are not to be sent, as {@link Store.requeueScheduled} does on lanes that are held.
   *
   * @returns whether there may be more to remove
   */
  expireUpdates(before: number, limit: number): Promise<boolean>;
  /**
   * One small step of keeping timelines short: folds minutes older than a day into their hours and drops hours older than
   * eight days, up to `limit` of each.
   *
   * @returns whether there may be more
   */
  foldTimelines(now: number, limit: number): Promise<boolean>;
  /**
   * One small step of moving the next number of every log on by `count`: up to `limit` logs, from where the step before
   * ended; 0 begins. Counts of updates do not include the numbers passed over.
   *
   * @returns how many logs were moved, and where the next step begins, if there may be more
   */
  passOverNumbers(from: number, limit: number, count: number): Promise<{ logs: number; next?: number }>;
  /** Sums up to `limit` lanes, those of all instances, from where the survey before ended; 0 begins. */
  surveyLanes(from: number, limit: number, now: number): Promise<LaneSurvey>;
  /** Rejects with {@link StoreUnavailable} when the store cannot be written to. */
  ping(): Promise<void>;
  /** Finishes the calls made before, then closes. */
  close(): Promise<void>;
}
