import type {
  BotOverview,
  ChannelBot,
  OwnerUpdate,
  PreviewSubscriptionRequest,
  TimelineOptions,
  WebhookConfig,
} from "@botyard/sdk";
import { keepPreviousData, queryOptions, skipToken } from "@tanstack/react-query";
import { owner } from "./client.js";
import { isGone } from "./failure.js";

/** The refetch interval of visible data that changes by itself. */
export const LIVE_MS = 5_000;
/** The refetch interval of a single visible item. */
const WATCHED_MS = 2_000;

/** The refetch interval of how the service is configured. */
const SERVICE_MS = 60_000;

/** Entries of the audit log that are shown. */
const SHOWN_CHANGES = 20;

/** The service's largest page. */
const PAGE_BOTS = 100;
/** Listed bots that a search offers. */
const LISTED_BOTS = 20;

/** The name of the webhook that every bot has. */
export const DEFAULT = "default";

const NOT_SET: WebhookConfig = {
  url: "",
  has_secret_token: false,
  last_delivery_error: "",
  next_retry_at: null,
  pending_update_count: 0,
};

export type Range = NonNullable<TimelineOptions["range"]>;

/** The console's reads that fit into one answer. Each key begins with the kind of its subject. */
export const queries = {
  bots: () =>
    queryOptions({
      queryKey: ["bots"],
      queryFn: ({ signal }) => allOverviews(signal),
      // On average one page of a hundred bots every five seconds, however many pages there are.
      refetchInterval: ({ state: { data = [] } }) =>
        LIVE_MS * Math.max(1, Math.ceil(data.length / PAGE_BOTS)),
    }),
  /** A bot with its state. */
  bot: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId],
      queryFn: ({ signal }) => owner.getBotOverview(botId, { signal }),
      // Somebody may be mending it now.
      refetchInterval: ({ state: { data } }) =>
        data?.state.name === "failing" || data?.state.name === "untried" ? WATCHED_MS : LIVE_MS,
    }),
  /** Whether the last test event in this tab was accepted; the service does not store that. */
  tested: (botId: string) =>
    queryOptions<{ isAccepted: boolean }>({ queryKey: ["tested", botId], queryFn: skipToken }),
  stats: (botId: string, webhook?: string) =>
    queryOptions({
      queryKey: ["bot", botId, "stats", webhook ?? DEFAULT],
      queryFn: ({ signal }) => owner.getBotStats(botId, { webhook, signal }),
      refetchInterval: LIVE_MS,
    }),
  timeline: (botId: string, range: Range, webhook?: string) =>
    queryOptions({
      queryKey: ["bot", botId, "timeline", range, webhook ?? DEFAULT],
      queryFn: ({ signal }) => owner.readTimeline(botId, { range, webhook, signal }),
      refetchInterval: LIVE_MS,
    }),
  consumers: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "consumers"],
      queryFn: async ({ signal }) => (await owner.listBotConsumers(botId, { signal })).items,
      refetchInterval: LIVE_MS,
    }),
  /** The one named `default` when `name` is left out; with an empty URL when there is none of this name. */
  webhook: (botId: string, name?: string) =>
    queryOptions({
      queryKey: ["bot", botId, "webhook", name ?? DEFAULT],
      queryFn: ({ signal }) => readWebhook(botId, name, signal),
      refetchInterval: LIVE_MS,
    }),
  webhooks: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "webhooks"],
      queryFn: async ({ signal }) => (await owner.listWebhooks(botId, { signal })).items,
      refetchInterval: LIVE_MS,
    }),
  botChannels: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "channels"],
      queryFn: async ({ signal }) => (await owner.listBotChannels(botId, { signal })).items,
    }),
  subscription: (botId: string) =>
    queryOptions({
      queryKey: ["bot", botId, "subscription"],
      queryFn: ({ signal }) => owner.getSubscription(botId, { signal }),
      // A subscription is replaced as a whole, so the form must be current, or it would undo changes of others.
      refetchInterval: LIVE_MS,
    }),
  preview: (botId: string, request: PreviewSubscriptionRequest) =>
    queryOptions({
      queryKey: ["bot", botId, "preview", request],
      queryFn: async ({ signal }) => (await owner.previewSubscription(botId, request, { signal })).items,
    }),
  errorGroups: (botId: string, webhook?: string) =>
    queryOptions({
      queryKey: ["bot", botId, "error-groups", webhook ?? DEFAULT],
      queryFn: ({ signal }) => owner.groupWebhookErrors(botId, { webhook, signal }),
      refetchInterval: LIVE_MS,
    }),
  /** Null when it has expired or does not exist yet. */
  update: (botId: string, updateId: number, webhook?: string) =>
    queryOptions({
      queryKey: ["bot", botId, "update", updateId, webhook ?? DEFAULT],
      queryFn: async ({ signal }) => {
        const part = { before: updateId + 1, limit: 1, webhook };
        const { items } = await owner.listBotUpdates(botId, { ...part, signal });
        return items.find((update) => update.update_id === updateId) ?? null;
      },
      refetchInterval: ({ state: { data } }) => (data?.state === "delivered" ? false : WATCHED_MS),
    }),
  /** The stored failed attempts; read again after each new attempt. */
  attempts: (
    botId: string,
    { update_id: updateId, webhook_attempt_count: attempts }: OwnerUpdate,
    webhook?: string,
  ) =>
    queryOptions({
      queryKey: ["bot", botId, "update", updateId, webhook ?? DEFAULT, "attempts", attempts],
      queryFn: async ({ signal }) =>
        (await owner.listUpdateAttempts(botId, updateId, { webhook, signal })).items,
      placeholderData: keepPreviousData,
    }),
  /** The webhook for alerts of the owner. */
  alerts: () =>
    queryOptions({
      queryKey: ["alerts"],
      queryFn: ({ signal }) => owner.getAlerts({ signal }),
      refetchInterval: LIVE_MS,
    }),
  /** The newest entries of the owner's audit log. */
  changes: () =>
    queryOptions({
      queryKey: ["changes"],
      queryFn: async ({ signal }) => (await owner.listOwnerAudit({ limit: SHOWN_CHANGES, signal })).items,
      refetchInterval: LIVE_MS,
    }),
  /** How much the owner may have. */
  limits: () =>
    queryOptions({
      queryKey: ["limits"],
      queryFn: ({ signal }) => owner.getLimits({ signal }),
      refetchInterval: LIVE_MS,
    }),
  /** Whether the service sends to webhooks; "unknown" while it is not ready, of which other reads tell. */
  deliveries: () =>
    queryOptions({
      queryKey: ["deliveries"],
      queryFn: ({ signal }) => readDeliveries(signal),
      refetchInterval: SERVICE_MS,
    }),
  channels: () =>
    queryOptions({
      queryKey: ["channels"],
      queryFn: ({ signal }) => allOf(owner.channels({ signal })),
    }),
  /** The first listed bots with this text; all of them while there is none. */
  listedBots: (q: string) =>
    queryOptions({
      queryKey: ["listed-bots", q],
      queryFn: async ({ signal }) => {
        // What is chosen is shown as `Weather (@weather_bot)`.
        const text = /\(@(\S+)\)$/.exec(q)?.[1] ?? q;
        return (await owner.listListedBots({ limit: LISTED_BOTS, ...(text !== "" && { q: text }), signal }))
          .items;
      },
    }),
  channelBots: (channelId: string) =>
    queryOptions({
      queryKey: ["channel", channelId, "bots"],
      queryFn: ({ signal }) => botsOf(channelId, signal),
    }),
  channel: (channelId: string) =>
    queryOptions({
      queryKey: ["channel", channelId],
      queryFn: ({ signal }) => owner.getChannel(channelId, { signal }),
      refetchInterval: LIVE_MS,
    }),
};

async function readWebhook(
  botId: string,
  webhook: string | undefined,
  signal: AbortSignal,
): Promise<WebhookConfig> {
  try {
    return await owner.getWebhook(botId, { webhook, signal });
  } catch (error) {
    if (webhook === undefined || !isGone(error)) throw error;
    return NOT_SET;
  }
}

/** A thousand bots are ten pages, read one after the other: 550 kB, compressed to 40 kB. */
async function allOverviews(signal: AbortSignal): Promise<BotOverview[]> {
  const items: BotOverview[] = [];
  for (;;) {
    const page = await owner.overview({ limit: PAGE_BOTS, after: items.at(-1)?.bot.id, signal });
    items.push(...page.items);
    if (page.items.length < PAGE_BOTS) return items;
  }
}

async function readDeliveries(signal: AbortSignal): Promise<"on" | "off" | "unknown"> {
  try {
    const response = await fetch("/readyz", { signal });
    const { deliveries = "on" } = (await response.json()) as { deliveries?: "off" };
    return response.ok ? deliveries : "unknown";
  } catch {
    return "unknown";
  }
}

async function botsOf(channelId: string, signal: AbortSignal): Promise<ChannelBot[]> {
  const bots: ChannelBot[] = [];
  for (;;) {
    const { items } = await owner.listChannelBots(channelId, {
      limit: PAGE_BOTS,
      after: bots.at(-1)?.bot.id,
      signal,
    });
    bots.push(...items);
    if (items.length < PAGE_BOTS) return bots;
  }
}

async function allOf<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
