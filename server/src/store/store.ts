import type { EventEmitter } from "node:events";
import type { Bot, BotIdentity } from "../domain/bots/bot.js";
import type { AttachConditions } from "../domain/bots/listing.js";
import type { BotOverview } from "../domain/bots/overview.js";
import type { LaneSurvey } from "../domain/delivery/lane-survey.js";
import type {
  Attachment,
  AttachRefusal,
  BotChannel,
  BotRole,
  Channel,
  ChannelBot,
} from "../domain/events/channel.js";
import type { StoredEvent } from "../domain/events/event.js";
import type { StoreEvents } from "./events.js";
import type { AuditStore } from "./parts/audit-store.js";
import type { CommandStore } from "./parts/command-store.js";
import type { ConsumerStore, GivenUpStore } from "./parts/consumer-store.js";
import type { DirectStore } from "./parts/direct-store.js";
import type { FeedStore } from "./parts/feed-store.js";
import type { GuestStore } from "./parts/guest-store.js";
import type { InteractionStore } from "./parts/interaction-store.js";
import type { KeyStore } from "./parts/key-store.js";
import type {
  ClaimedLanes,
  DueRead,
  DueUpdates,
  LaneClaim,
  LaneOutcomes,
  LaneRelease,
} from "./parts/lane-shapes.js";
import type { ListingStore } from "./parts/listing-store.js";
import type { LogStore } from "./parts/log-store.js";
import type { OwnerStore } from "./parts/owner-store.js";
import type { PostStore } from "./parts/post-store.js";
import type { RoomStore } from "./parts/room-store.js";
import type { UpkeepStore } from "./parts/upkeep-store.js";
import type { UsageStore } from "./parts/usage-store.js";
import type { UserStore } from "./parts/user-store.js";
import type {
  BotEdit,
  BotPage,
  BotRef,
  ChannelRef,
  ChannelRevision,
  ExternalIds,
  NewBot,
  NewChannel,
} from "./parts/verb-shapes.js";
import type { WebhookLogStore } from "./parts/webhook-log-store.js";
import type { WebhookStore } from "./parts/webhook-store.js";

export type { AttemptFailure, AttemptOutcome } from "../domain/delivery/attempt.js";
export {
  createStoreEvents,
  type Failover,
  type LogGrowth,
  type LogHead,
  type OnListenerError,
  type PushedEvent,
  type StoreEvents,
  updatesAbove,
} from "./events.js";
export type * from "./parts/audit-store.js";
export type { ChannelCommands } from "./parts/command-store.js";
export type { ConsumedRead, ConsumerIn, MoveIn, PositionIn } from "./parts/consumer-store.js";
export type * from "./parts/direct-store.js";
export * from "./parts/feed-store.js";
export * from "./parts/guest-store.js";
export type * from "./parts/interaction-store.js";
export type * from "./parts/lane-shapes.js";
export type * from "./parts/listing-store.js";
export type * from "./parts/owner-store.js";
export type { Listeners, OldestFirst, PostsAway } from "./parts/post-store.js";
export type { NewRoom, Room, RoomBot, RoomBotChange, RoomBotsChange, RoomRules } from "./parts/room-store.js";
export type { UpkeepResult, UpkeepTask } from "./parts/upkeep-store.js";
export type * from "./parts/usage-store.js";
export type * from "./parts/verb-shapes.js";
export { PLATFORM, type WebhookLogKind } from "./parts/webhook-log-store.js";
export * from "./unavailable.js";

/**
 * The storage of the service: one durable, gapless log of updates per bot, and everything that belongs to it. The
 * engines in `sqlite/` and `postgres/` implement this contract, and one conformance suite tests both.
 *
 * - A write is on disk before its promise resolves.
 * - Every verb is atomic. Calls made at the same time may share a transaction, never each other's failures.
 * - For a resource that does not exist or belongs to another owner, a verb returns `undefined` or `false`; the two
 *   cases are not distinguished.
 * - Any verb may reject with {@link StoreUnavailable}; then nothing was written. Only when the answer to a commit was
 *   lost on the network, the write may have happened.
 * - Times are milliseconds since the Unix epoch.
 * - Lists of bots and channels continue where the one that they come after was, also when it was deleted meanwhile: ids
 *   are in the order of creation.
 * - A page ends at `limit` items, and before its payloads exceed `maxBytes` (256 KiB by default); its first item is
 *   returned whatever its size. Only an empty page means that there is nothing more.
 */
export interface Store
  extends LogStore,
    KeyStore,
    PostStore,
    AuditStore,
    ConsumerStore,
    GivenUpStore,
    CommandStore,
    DirectStore,
    RoomStore,
    FeedStore,
    GuestStore,
    InteractionStore,
    ListingStore,
    OwnerStore,
    UsageStore,
    WebhookStore,
    WebhookLogStore,
    UpkeepStore,
    UserStore {
  /** Hints of what changed. */
  readonly events: EventEmitter<StoreEvents>;

  // Bots. An owner reaches only their own.

  /**
   * @param maxBots the most that the owner may have; no bound when left out
   * @returns undefined when the username is taken, whatever its case
   */
  createBot(bot: NewBot, maxBots?: number): Promise<Bot | "too many" | undefined>;
  /** Oldest first. */
  listBots(ownerUserId: string, page?: BotPage): Promise<Bot[]>;
  /** The same bots with their state; only one bot when `botId` is given. */
  listOverviews(ownerUserId: string, now: number, page?: BotPage, botId?: string): Promise<BotOverview[]>;
  findBot(ref: BotRef): Promise<Bot | undefined>;
  editBot(ref: BotRef, edit: BotEdit): Promise<Bot | undefined>;
  /**
   * Removes the bot, its token and attachments; upkeep removes its log later. Its username is free again; its posts stay
   * in their channels.
   *
   * @param toldAs the id of a request with which holders read in their audit logs that it has left their channels; without it they do not
   */
  deleteBot(ref: BotRef, toldAs?: string): Promise<boolean>;
  /**
   * Disabling refuses the bot's token and pauses its deliveries; disabling again keeps the time of the first call. The platform may
   * disable what the owner has disabled already. What the platform has disabled, the owner does not enable: it is returned unchanged.
   */
  setBotDisabled(ref: BotRef, disabled: boolean, now: number): Promise<Bot | undefined>;
  /** Replaces the token. The old one is refused from the moment this resolves. */
  replaceBotToken(ref: BotRef, tokenHash: string): Promise<boolean>;
  /** The enabled bot a token belongs to. */
  authenticateBot(tokenHash: string): Promise<BotIdentity | undefined>;
  /**
   * The bot that a token belonged to at its last look-up, if that is cached. It may be out of date, so it is only for a
   * caller whose write checks the token again ({@link PostAuthor}), and who looks the token up before it gives any
   * other answer.
   */
  recallBot(tokenHash: string): BotIdentity | undefined;

  // Channels. Their holder reaches only their own; a bot those it is attached to.

  /** @returns undefined when the slug is taken, "too many" when the owner has `maxChannels` of them already */
  createChannel(
    channel: NewChannel,
    maxChannels?: number,
  ): Promise<Channel | "external id taken" | "too many" | undefined>;
  /** Oldest first; those after the channel `after` when that is given. */
  listChannels(ownerUserId: string, limit: number, after?: string): Promise<Channel[]>;
  findChannel(ref: ChannelRef): Promise<Channel | undefined>;
  findExternalChannel(ownerUserId: string, externalId: string): Promise<Channel | undefined>;
  /** The ids of the owner's channels with these external ids, by external id. */
  findExternalIds(ids: ExternalIds): Promise<Map<string, string>>;
  /**
   * The owners of these channels and bots, by id; without those that do not exist.
   *
   * @param near an owner whose they probably are, whose cell is asked first
   */
  findHolders(ids: readonly string[], near?: string): Promise<Map<string, string>>;
  /**
   * The bots that are attached to a channel, by creation, oldest first; those after the bot `after` when that is given.
   *
   * @param ownerUserId only bots of this owner
   */
  listChannelBots(
    channelId: string,
    limit: number,
    after?: string,
    ownerUserId?: string,
  ): Promise<ChannelBot[]>;
  /** The channel, if the bot is attached to it, and the owner owns the one or holds the other. */
  findAttachedChannel(ref: BotRef, channelId: string): Promise<Channel | undefined>;
  /** @returns "outdated", with nothing changed, when the channel is no longer as it was read */
  editChannel(ref: ChannelRef, revision: ChannelRevision): Promise<Channel | "outdated" | undefined>;
  /**
   * Removes a channel and detaches its bots. Upkeep erases its posts later.
   *
   * @param event what each attached bot that subscribes to it gets, as the last update that the channel causes
   */
  deleteChannel(ref: ChannelRef, event: StoredEvent): Promise<boolean>;
  /**
   * Attaches a bot to the owner's channel: a bot of the owner, or a listed one. Attaching again changes the role, if one is given.
   *
   * @param ref the bot, and the holder of the channel
   * @param event what the bot gets, if it subscribes to it
   * @returns "too many" when the bot is attached to as many channels of this holder as it may be, "bot full" when to as many of all
   */
  attachBot(
    ref: BotRef,
    channelId: string,
    event: StoredEvent,
    rules?: AttachConditions,
    role?: BotRole,
  ): Promise<Attachment | AttachRefusal | undefined>;
  /**
   * @param ref the bot, and who takes it out: its owner, or the holder of the channel
   * @param event what the bot gets, if it subscribes to it
   * @returns false when the owner neither owns the bot nor holds the channel, or it is not attached
   */
  detachBot(ref: BotRef, channelId: string, event: StoredEvent): Promise<boolean>;
  /** The ids of some channels of other owners that the owner's bot is attached to, at most `limit`. */
  listChannelsAway(ref: BotRef, limit: number): Promise<string[]>;
  /**
   * The channels a bot is attached to, by creation, oldest first; those after the channel `after` when that is given.
   */
  listBotChannels(botId: string, limit: number, after?: string): Promise<BotChannel[]>;

  // Delivery. A lane has what is due for one destination; the holder of its lease sends its updates.

  /**
   * Takes the lanes that are due and not held, longest due first, each with its first due updates. A lease that is not
   * renewed expires, and the lane can be claimed again.
   */
  claimLanes(claim: LaneClaim): Promise<ClaimedLanes>;
  /**
   * What is due on held lanes: requeued updates, then refused ones by age up to half of the limit, then updates never
   * attempted, by number, then further refused ones.
   *
   * With the order `channel` each of them has its channel, and the number of the one that it waits for, if that has not ended. Those
   * that are held are never returned. With the order `bot` all are returned by number, as far as they are due from the first one on.
   */
  readDueUpdates(reads: readonly DueRead[], now: number): Promise<DueUpdates[]>;
  /**
   * One small step of changing the rows that setting a webhook has left: updates that these webhooks skip become skipped, and those that an
   * earlier order held are due. Until then {@link Store.readDueUpdates} does not return them.
   */
  skipRemaining(destinationIds: readonly string[]): Promise<void>;
  /**
   * Records outcomes, counts them, keeps the details of failures and moves each lane on. A failure never overwrites a
   * delivered state, and after a replay it does not end the new round.
   *
   * An update that was not sent because an earlier one of its channel waits is held until that has ended: was accepted, has failed for good
   * or was skipped. Then up to `MAX_RELEASED_UPDATES` of the channel become due together.
   *
   * Outcomes of an earlier webhook, whose URL is no longer set, change nothing: their updates stay due. Only updates
   * that it had accepted before that change count as delivered.
   */
  recordAttempts(lanes: readonly LaneOutcomes[]): Promise<void>;
  /**
   * Lets leases run for another `leaseMs` from now on.
   *
   * @param targetAgeMs as {@link LaneClaim.targetAgeMs}
   * @returns the destinations whose lanes `holder` no longer holds
   */
  renewLeases(
    holder: string,
    destinationIds: readonly string[],
    leaseMs: number,
    targetAgeMs: number,
  ): Promise<string[]>;
  /**
   * For how many milliseconds from now the holder of a destination's lane, or of any lane of a bot's destinations, may still use a target that
   * it read before this call; 0 when nobody holds one.
   */
  readTargetAge(of: { destinationId: string } | { botId: string }): Promise<number>;
  /**
   * Releases lanes; each is due again when its log has something to send. For a lane that is no longer held only the
   * counts are stored.
   */
  releaseLanes(holder: string, lanes: readonly LaneRelease[], now: number): Promise<void>;

  /** Notes, for services that start on this database, whether they send to webhooks; a new database notes that they do. */
  switchDeliveries(isOn: boolean): Promise<void>;
  areDeliveriesOff(): Promise<boolean>;

  // The store as a whole.

  /**
   * One small step of moving the next number of every log on by `count`: up to `limit` logs, from where the step before
   * ended; 0 begins. Counts of updates do not include the numbers skipped.
   *
   * @returns how many logs were moved, and where the next step begins, if there may be more
   */
  skipUpdateIds(from: number, limit: number, count: number): Promise<{ logs: number; next?: number }>;
  /** Sums up to `limit` lanes, those of all instances, from where the survey before ended; 0 begins. */
  surveyLanes(from: number, limit: number, now: number): Promise<LaneSurvey>;
  /**
   * Rejects with {@link StoreUnavailable} when the store cannot be written to, with {@link StoreDamaged} when damaged pages
   * were found in it.
   */
  ping(): Promise<void>;
  /** Finishes the calls made before, then closes. */
  close(): Promise<void>;
}
