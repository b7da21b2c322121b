export { Bot, type BotOptions } from "./bot/bot.js";
export { BotError, type ErrorHandler, type Outcome } from "./bot/bot-error.js";
export type {
  Command,
  CommandMatch,
  CommandOffer,
  OfferedCommandMatch,
  OptionSpec,
  OptionValues,
} from "./bot/command-offer.js";
export { Context, type ContextChannel, type OwnPost, type Reply, type SessionData } from "./bot/context.js";
export type { Handler, Next } from "./bot/handlers.js";
export type { ButtonMatch, InteractionPayload, SelectMatch } from "./bot/interaction.js";
export type { Order } from "./bot/order.js";
export { memoryStore, type Position, type PositionStore } from "./bot/position.js";
export { type AuthorType, type PatternMatch, Router } from "./bot/router.js";
export type { StartOptions } from "./bot/start-options.js";
export type { Started } from "./bot/started.js";
export type { StreamReplyOptions } from "./bot/stream-reply.js";
export { BotClient, type UpdatesOptions } from "./client/bot-client.js";
export type { ClientOptions, CreateOptions, EditOptions, RequestOptions } from "./client/connection.js";
export type { FeedOptions, FeedPage, ReadFeedOptions } from "./client/feed.js";
export type { LogReset, PollFailure, PollOptions, UpdatePage } from "./client/next-updates.js";
export { OwnerClient } from "./client/owner-client.js";
export type {
  AttachOptions,
  AuditOptions,
  ExportOptions,
  GetUsageOptions,
  LimitOptions,
  ListBotsOptions,
  ListChannelBotsOptions,
  ListChannelsOptions,
  ListErrorsOptions,
  ListPostsOptions,
  ListUpdatesOptions,
  OwnerClientOptions,
  ReplayOptions,
  TimelineOptions,
  WhichWebhookOptions,
} from "./client/owner-options.js";
export {
  type ListOwnersOptions,
  type ListUsageOptions,
  type OwnerUsagePage,
  PlatformClient,
} from "./client/platform-client.js";
export type { StreamOptions } from "./client/stream-updates.js";
export {
  type ButtonOptions,
  button,
  type Components,
  link,
  row,
  type SelectOptions,
  select,
} from "./components.js";
export { AnswerError, NetworkError, ServiceError } from "./errors.js";
export {
  type AudioItem,
  type FileItem,
  type ImageItem,
  isMedia,
  type KnownMediaItem,
  type LinkItem,
  type MediaItem,
  type VideoItem,
} from "./media.js";
export { createOnce, type Once } from "./state/once.js";
export { type SessionOptions, session } from "./state/session.js";
export { memoryValues, type ValueStore } from "./state/values.js";
export type * from "./types.js";
export { isUpdateOf } from "./update-of.js";
export { webhookHandler } from "./webhooks/handler.js";
export type { WebhookHeaders } from "./webhooks/headers.js";
export type { WebhookOptions } from "./webhooks/receive.js";
export { memorySeen, type SeenStore } from "./webhooks/seen.js";
export { VerificationError, type VerificationReason } from "./webhooks/verification-error.js";
export { type VerifyOptions, verifyFeedPage, verifySignature, verifyWebhook } from "./webhooks/verify.js";
