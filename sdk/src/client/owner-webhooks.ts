import type {
  BotStats,
  DeleteStatus,
  ErrorGroups,
  FailedAttempt,
  List,
  NamedWebhookConfig,
  OwnerUpdates,
  PutAlertsRequest,
  PutWebhookRequest,
  ReplayResult,
  RotatedSecret,
  Timeline,
  WebhookConfig,
  WebhookErrorEntry,
  WebhookTestResult,
} from "../types.js";
import { botPath, type Call, type Connection, type RequestOptions, segment } from "./connection.js";
import { OwnerChannels } from "./owner-channels.js";
import type {
  ListErrorsOptions,
  ListUpdatesOptions,
  ReplayOptions,
  TimelineOptions,
  WhichWebhookOptions,
} from "./owner-options.js";

const ALERTS = "/v1/owner/alerts";

/** The path of a webhook: of the one of the specification when `name` is left out. */
const webhookPath = (botId: string, name: string | undefined): string =>
  name === undefined ? `${botPath(botId)}/webhook` : `${botPath(botId)}/webhooks/${segment(name)}`;

/** The path of what is read of the deliveries to it. */
const historyPath = (botId: string, name: string | undefined): string =>
  name === undefined ? botPath(botId) : webhookPath(botId, name);

/**
 * The operations of an owner on webhooks and on what is sent to them. Those of one webhook take its name; without it they are
 * about the one of the specification.
 */
export class OwnerWebhooks extends OwnerChannels {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * The newest updates of a bot with the state of their delivery, newest first. A search reads at most 2,000 updates;
   * while its answer has `stopped_at`, continue with that as `before`, also when there are no items.
   */
  listBotUpdates(
    botId: string,
    {
      limit,
      before,
      state,
      until,
      since,
      search,
      channelId,
      eventType,
      webhook,
      ...options
    }: ListUpdatesOptions = {},
  ): Promise<OwnerUpdates> {
    const path = `${historyPath(botId, webhook)}/updates`;
    const query = {
      limit,
      before,
      state,
      until,
      since,
      search,
      channel_id: channelId,
      event_type: eventType,
    };
    return this.#send({ method: "GET", path, query, field: "items", ...options });
  }

  /** Extension: the last 20 failed attempts to deliver an update, oldest first. */
  listUpdateAttempts(
    botId: string,
    updateId: number,
    { webhook, ...options }: WhichWebhookOptions = {},
  ): Promise<List<FailedAttempt>> {
    const path = `${historyPath(botId, webhook)}/updates/${updateId}/attempts`;
    return this.#send({ method: "GET", path, field: "items", ...options });
  }

  /** Extension: sends a delivered update once more and returns the receiver's answer; it stays delivered. At most 10 a minute. */
  sendUpdateAgain(
    botId: string,
    updateId: number,
    { webhook, ...options }: WhichWebhookOptions = {},
  ): Promise<WebhookTestResult> {
    const path = `${historyPath(botId, webhook)}/updates/${updateId}/send-again`;
    return this.#send({ method: "POST", path, field: "delivered", retries: 0, ...options });
  }

  /** Extension: gives up a pending or scheduled update: it has failed for good and can be replayed. */
  skipUpdate(
    botId: string,
    updateId: number,
    { webhook, ...options }: WhichWebhookOptions = {},
  ): Promise<WebhookErrorEntry> {
    const path = `${webhookPath(botId, webhook)}/updates/${updateId}/skip`;
    return this.#send({ method: "POST", path, field: "update_id", retries: 0, ...options });
  }

  /** How many updates of a bot are in which state. */
  getBotStats(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<BotStats> {
    const path = `${historyPath(botId, webhook)}/stats`;
    return this.#send({ method: "GET", path, field: "bot_id", ...options });
  }

  /** Extension: counts of a bot's deliveries, by intervals of the last hour, day or week. */
  readTimeline(botId: string, { range, webhook, ...options }: TimelineOptions = {}): Promise<Timeline> {
    const path = `${historyPath(botId, webhook)}/timeline`;
    return this.#send({ method: "GET", path, query: { range }, field: "items", ...options });
  }

  /** Extension: the webhooks that are set, the one named `default` first. */
  listWebhooks(botId: string, options: RequestOptions = {}): Promise<List<NamedWebhookConfig>> {
    return this.#send({ method: "GET", path: `${botPath(botId)}/webhooks`, field: "items", ...options });
  }

  /** The webhook, with `url: ""` when there is none. */
  getWebhook(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<WebhookConfig> {
    return this.#send({ method: "GET", path: webhookPath(botId, webhook), field: "url", ...options });
  }

  /** Sets the webhook. Without `secret_token` the stored one stays; `""` removes it. */
  putWebhook(
    botId: string,
    body: PutWebhookRequest,
    { webhook, ...options }: WhichWebhookOptions = {},
  ): Promise<WebhookConfig> {
    const path = webhookPath(botId, webhook);
    return this.#send({ method: "PUT", path, body, field: "url", ...options });
  }

  /** Ends delivery by webhook; undelivered updates stay pending and can be polled. */
  deleteWebhook(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<DeleteStatus> {
    return this.#send({ method: "DELETE", path: webhookPath(botId, webhook), field: "status", ...options });
  }

  /** Extension: sends a `webhook.test` event at once and returns the receiver's answer. At most 10 a minute. */
  testWebhook(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<WebhookTestResult> {
    const path = `${webhookPath(botId, webhook)}/test`;
    return this.#send({ method: "POST", path, field: "delivered", retries: 0, ...options });
  }

  /** Extension: nothing is sent until it is resumed; updates are still recorded. */
  pauseWebhook(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<WebhookConfig> {
    return this.#send({
      method: "POST",
      path: `${webhookPath(botId, webhook)}/pause`,
      field: "url",
      ...options,
    });
  }

  /** Extension: a new secret token, shown once; the one before signs too for `overlap`, a duration up to `24h`. */
  rotateWebhookSecret(
    botId: string,
    { overlap, webhook, ...options }: WhichWebhookOptions & { overlap?: string } = {},
  ): Promise<RotatedSecret> {
    const path = `${webhookPath(botId, webhook)}/secret`;
    return this.#send({ method: "POST", path, query: { overlap }, field: "secret_token", ...options });
  }

  /** Extension: delivers again, beginning with the updates recorded meanwhile. */
  resumeWebhook(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<WebhookConfig> {
    return this.#send({
      method: "POST",
      path: `${webhookPath(botId, webhook)}/resume`,
      field: "url",
      ...options,
    });
  }

  /** Updates with at least one failed attempt, newest first. */
  listWebhookErrors(
    botId: string,
    { limit, before, state, webhook, ...options }: ListErrorsOptions = {},
  ): Promise<List<WebhookErrorEntry>> {
    const path = `${webhookPath(botId, webhook)}/errors`;
    return this.#send({ method: "GET", path, query: { limit, before, state }, field: "items", ...options });
  }

  /** Extension: undelivered failures, grouped by their reason. */
  groupWebhookErrors(botId: string, { webhook, ...options }: WhichWebhookOptions = {}): Promise<ErrorGroups> {
    const path = `${webhookPath(botId, webhook)}/errors/groups`;
    return this.#send({ method: "GET", path, field: "items", ...options });
  }

  /** Puts failed updates back into delivery: the oldest, or those that are named. */
  replayWebhook(
    botId: string,
    { limit, update_ids, webhook, ...options }: ReplayOptions = {},
  ): Promise<ReplayResult> {
    const path = `${webhookPath(botId, webhook)}/replay`;
    const body = update_ids && { body: { update_ids } };
    return this.#send({ method: "POST", path, query: { limit }, ...body, field: "requeued", ...options });
  }

  /** Extension: the webhook that is told when webhooks of the owner fail, with `url: ""` when there is none. */
  getAlerts(options: RequestOptions = {}): Promise<WebhookConfig> {
    return this.#send({ method: "GET", path: ALERTS, field: "url", ...options });
  }

  /** Extension: sets it. */
  putAlerts(body: PutAlertsRequest, options: RequestOptions = {}): Promise<WebhookConfig> {
    return this.#send({ method: "PUT", path: ALERTS, body, field: "url", ...options });
  }

  /** Extension: removes it. */
  deleteAlerts(options: RequestOptions = {}): Promise<DeleteStatus> {
    return this.#send({ method: "DELETE", path: ALERTS, field: "status", ...options });
  }

  #send<Body>(call: Call): Promise<Body> {
    return this.#connection.send(call);
  }
}
