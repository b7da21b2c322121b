import { auditComponents } from "../audit.js";
import * as bot from "../bot.js";
import * as channel from "../channel.js";
import { channelBatchComponents } from "../channel-batch.js";
import * as channelBots from "../channel-bots.js";
import { commandComponents } from "../commands.js";
import * as consumer from "../consumer.js";
import * as attempt from "../delivery/attempt.js";
import { errorGroupComponents } from "../delivery/error-group.js";
import * as feedWebhook from "../delivery/feed-webhook.js";
import * as timeline from "../delivery/timeline.js";
import * as webhook from "../delivery/webhook.js";
import { DeliveryOrderName } from "../delivery/webhook-settings.js";
import { batchComponents } from "../events/batch.js";
import { postComponentComponents } from "../events/components.js";
import { eventComponents } from "../events/event.js";
import { eventPayloads, payloadComponents, WebhookTestEvent } from "../events/event-payloads.js";
import { feedComponents } from "../events/feed.js";
import { interactionComponents } from "../events/interaction.js";
import * as post from "../events/post.js";
import { postUpdateComponents } from "../events/post-update.js";
import * as update from "../events/update.js";
import * as givenUp from "../given-up.js";
import { listingComponents } from "../listing.js";
import * as overview from "../overview.js";
import { EraseOwnerRequest, EraseStatusBody, ErasureProgress } from "../owner.js";
import { platformOwnerComponents } from "../platform-owner.js";
import { usageComponents } from "../usage.js";
import type { Component } from "./component.js";
import { ErrorBody, ErrorCodeBody } from "./failures.js";

/** Every named schema of the API, once. */
export const components: readonly Component[] = [
  bot.BotVisibility,
  bot.BotVerdict,
  bot.BotReviewBody,
  ...auditComponents,
  bot.BotBody,
  bot.BotList,
  bot.DisablerName,
  overview.BotStateName,
  overview.BotHealthName,
  overview.BotStateBody,
  overview.BotOverviewBody,
  overview.BotOverviewList,
  bot.BotTokenBody,
  bot.BotWithTokenBody,
  bot.BotIdentityBody,
  bot.BotStatsBody,
  bot.CreateBotRequest,
  bot.EditBotRequest,
  channel.BotChannelBody,
  channel.BotChannelList,
  channel.AttachChannelResultBody,
  channel.ChannelBody,
  channel.ChannelList,
  channel.CreateChannelRequest,
  channel.EditChannelRequest,
  channel.PutExternalChannelRequest,
  channel.PutDirectChannelRequest,
  channelBots.AttachedBotBody,
  channelBots.ChannelBotBody,
  channelBots.ChannelBotList,
  channel.BotRoleName,
  channel.AttachBotRequest,
  channelBots.WishedBot,
  channelBots.PutChannelBotsRequest,
  channelBots.ChannelBotsChangeBody,
  ...channelBatchComponents,
  ...postComponentComponents,
  post.BotPostBody,
  post.PostBody,
  post.PostOrder,
  post.PostList,
  post.AuthorType,
  post.AuthorBody,
  post.ReplyToBody,
  post.EditPostRequest,
  post.CreateChannelPostRequest,
  post.CreateOwnerPostRequest,
  post.PostUserBody,
  ...batchComponents,
  ...payloadComponents,
  ...Object.values(eventPayloads),
  WebhookTestEvent,
  ...interactionComponents,
  ...eventComponents,
  ...commandComponents,
  ...listingComponents,
  ...feedComponents,
  EraseOwnerRequest,
  EraseStatusBody,
  ErasureProgress,
  ...platformOwnerComponents,
  ...usageComponents,
  update.DeliveryStateName,
  update.ReadingName,
  update.BotUpdateBody,
  update.BotUpdateList,
  consumer.ConsumerBody,
  consumer.ConsumerList,
  consumer.MoveConsumerRequest,
  givenUp.GivenUpBody,
  givenUp.GivenUpList,
  givenUp.GivenUpStatusBody,
  givenUp.GiveUpRequest,
  givenUp.HandInRequest,
  givenUp.HandInResultBody,
  update.OwnerUpdateBody,
  update.OwnerUpdateList,
  update.WebhookErrorBody,
  update.WebhookErrorList,
  ...errorGroupComponents,
  ...postUpdateComponents,
  timeline.TimelineRangeName,
  timeline.TimelineIntervalBody,
  timeline.TimelineBody,
  attempt.FailureClass,
  attempt.FailedAttemptBody,
  attempt.FailedAttemptList,
  webhook.UndeliveredStateName,
  webhook.PauseReasonName,
  DeliveryOrderName,
  webhook.RotatedSecretBody,
  webhook.WebhookConfigBody,
  webhook.NamedWebhookConfigBody,
  webhook.WebhookList,
  webhook.WebhookTestResultBody,
  webhook.PutWebhookRequest,
  webhook.PutAlertsRequest,
  feedWebhook.PutFeedWebhookRequest,
  feedWebhook.FeedWebhookConfigBody,
  webhook.ReplayRequest,
  webhook.ReplayResultBody,
  webhook.DeleteStatusBody,
  ErrorBody,
  ErrorCodeBody,
];
