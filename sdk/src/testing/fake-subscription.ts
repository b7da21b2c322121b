import { isOfKind, POST_CREATED } from "../bot/kinds.js";
import { mentions } from "../bot/mentions.js";
import type { Author, BotIdentity, PutSubscriptionRequest, ReplyTo, Subscription } from "../types.js";
import { type FakeAnswer, json, refused } from "./fake-answer.js";

/** The entry for all kinds that are not the service's own. */
const EVERY_CUSTOM = "custom";

/** The subscription of a bot for which none is set. */
export const DEFAULT_SUBSCRIPTION: Subscription = {
  is_default: true,
  event_types: [POST_CREATED, EVERY_CUSTOM],
  posts: "all",
  own_posts: true,
};

const PATTERN =
  /^(?:\*|custom|[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,3}\.\*|[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){1,3})$/;
const OWN_KINDS = /^(?:channel|bot|interaction|webhook|alert)\./;

/** Whether the bot hears an event, by the rules of the real service. */
export function hears(
  { event_types, posts, own_posts }: Subscription,
  me: BotIdentity,
  eventType: string,
  payload: Record<string, unknown>,
): boolean {
  const isCustom = !OWN_KINDS.test(eventType);
  if (!event_types.some((kind) => isOfKind(eventType, kind) || (isCustom && kind === EVERY_CUSTOM)))
    return false;
  if (eventType !== POST_CREATED) return true;
  if (!own_posts && (payload["author"] as Author | undefined)?.id === me.id) return false;
  const answered = payload["reply_to"] as ReplyTo | undefined;
  return posts === "all" || answered?.author?.id === me.id || mentions(String(payload["body"]), me.username);
}

/** Sets the subscription that is in the body of a request. */
export function setSubscription(body: string, set: (subscription: Subscription) => void): FakeAnswer {
  let given: Partial<PutSubscriptionRequest> | null;
  try {
    given = JSON.parse(body) as Partial<PutSubscriptionRequest> | null;
  } catch {
    return refused(400, "the body must be valid JSON", "invalid_json");
  }
  const { event_types, posts = "all", own_posts = true } = given ?? {};
  if (!Array.isArray(event_types) || event_types.length === 0 || event_types.length > 20)
    return refused(400, "event_types must have 1 to 20 entries");
  if (!event_types.every((kind) => PATTERN.test(kind)))
    return refused(
      400,
      "event_types must be kinds like ticket.opened, beginnings like ticket.*, custom for every custom one, or * for all",
    );
  const subscription = { is_default: false, event_types, posts, own_posts };
  set(subscription);
  return json(200, subscription);
}
