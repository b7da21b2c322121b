import type { AuditTarget } from "../domain/audit.js";
import { DEFAULT_WEBHOOK } from "../domain/delivery/webhook.js";
import type { AuditContext, Audited } from "./parts/audit-store.js";
import type { ChangeNotice } from "./parts/guest-store.js";
import { FEED, type Store, type WebhookRef } from "./store.js";
import type { Verb } from "./verbs.js";

/** What an engine compares before and after a verb, by key: see `audit/snapshots.ts` of each. */
export type SnapshotKind =
  | "bot"
  | "channel"
  | "attachment"
  | "webhook"
  | "failures"
  | "skipped"
  | "consumer"
  | "post"
  | "given up"
  | "owner"
  | "user";

/** Fields that the platform keeps about something of an owner for itself. A change of nothing else is an entry of the platform's alone. */
export const FIELDS_OF_PLATFORM: { readonly [Kind in SnapshotKind]?: string } = { owner: "metadata" };

/** What a call changes, and where to look whether it did. */
export interface Changed {
  target: AuditTarget;
  kind: SnapshotKind;
  key: (string | number)[];
}

const bot = (id: string, kind: SnapshotKind = "bot"): Changed => ({
  target: { type: "bot", id },
  kind,
  key: [id],
});
const channel = (id: string): Changed => ({ target: { type: "channel", id }, kind: "channel", key: [id] });
const attachment = (id: string, channelId: string): Changed => ({
  target: { type: "attachment", id, channelId },
  kind: "attachment",
  key: [id, channelId],
});
const webhook = (
  { botId, name = DEFAULT_WEBHOOK, audit }: WebhookRef,
  kind: SnapshotKind = "webhook",
  ...more: number[]
): Changed => ({
  target: audit?.target ?? { type: "webhook", id: botId, name },
  kind,
  key: [botId, name.toLowerCase(), ...more],
});

/** The verbs that are audited, and what each changes. Verbs that change many channels write their entries themselves. */
const CHANGES: { [Name in Verb]?: (...parameters: Parameters<Store[Name]>) => Changed } = {
  createBot: ({ id }) => bot(id),
  editBot: ({ botId }) => bot(botId),
  deleteBot: ({ botId }) => bot(botId),
  setBotDisabled: ({ botId }) => bot(botId),
  replaceBotToken: ({ botId }) => bot(botId),
  putSubscription: ({ botId }) => bot(botId),
  reviewBot: (botId) => bot(botId),
  putCommands: (botId) => bot(botId),
  handInGivenUp: (botId) => bot(botId, "given up"),
  createChannel: ({ id }) => channel(id),
  createDirectChannel: ({ id }) => channel(id),
  editChannel: ({ channelId }) => channel(channelId),
  deleteChannel: ({ channelId }) => channel(channelId),
  attachBot: ({ botId }, channelId) => attachment(botId, channelId),
  detachBot: ({ botId }, channelId) => attachment(botId, channelId),
  deletePost: ({ channelId, postId }) => ({
    target: { type: "post", id: postId, channelId },
    kind: "post",
    key: [postId, channelId],
  }),
  putOwner: (id) => ({ target: { type: "owner", id }, kind: "owner", key: [id] }),
  eraseUser: (id) => ({ target: { type: "user", id }, kind: "user", key: [id] }),
  putWebhook: (ref) => webhook(ref),
  deleteWebhook: (ref) => webhook(ref),
  setWebhookPaused: (ref) => webhook(ref),
  replayFailed: (ref) => webhook(ref, "failures"),
  replayUpdates: (ref) => webhook(ref, "failures"),
  skipUpdate: (ref, updateId) => webhook(ref, "skipped", updateId),
  deleteConsumer: (log, name) => ({
    target: { type: "consumer", id: log === FEED ? "feed" : log, name },
    kind: "consumer",
    key: [log, name.toLowerCase()],
  }),
};

export const AUDITED_VERBS = Object.keys(CHANGES) as Verb[];

export interface AuditedCall extends Changed {
  audit: AuditContext;
}

/** @returns what is to be written of a call; undefined when its verb is not audited, or nobody says who calls */
export function auditedCall(verb: Verb, parameters: readonly unknown[]): AuditedCall | undefined {
  const audit = fieldIn("audit", parameters);
  const changed = audit && changedBy(verb, parameters);
  return changed && { audit, ...changed };
}

/** @returns what a call changes; undefined when its verb is not audited */
export function changedBy(verb: Verb, parameters: readonly unknown[]): Changed | undefined {
  const changes = CHANGES[verb] as ((...parameters: readonly unknown[]) => Changed) | undefined;
  return changes?.(...parameters);
}

/** @returns the call as each of its entries says it */
export function entriesOf(call: AuditedCall): AuditedCall[] {
  const { also } = call.audit;
  return also ? [call, { ...call, audit: { ...call.audit, ...also } }] : [call];
}

/** How the holder of a channel reads that a bot has left it because it was deleted: as its own act, without whose it was. */
export const departure = (botId: string, holder: string, requestId: string): AuditContext => ({
  by: { type: "bot", id: botId, tokenId: "" },
  ownerUserId: holder,
  operation: "deleteBot",
  requestId,
});

/** @returns what is told to other cells of a call */
export const changeNoticeIn = (parameters: readonly unknown[]): ChangeNotice | undefined =>
  fieldIn("tell", parameters);

function fieldIn<Name extends keyof Audited>(name: Name, parameters: readonly unknown[]): Audited[Name] {
  for (const parameter of parameters) {
    if (typeof parameter !== "object" || parameter === null) continue;
    const field = (parameter as Audited)[name];
    if (field) return field;
  }
  return undefined;
}
