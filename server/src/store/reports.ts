import { isRefusal } from "../domain/events/consumer.js";
import { type BotRef, FEED, FEED_GREW, type LogHead, type PushedEvent, type Store } from "./store.js";
import {
  type BotEffect,
  EFFECTS,
  type Effect,
  type EngineVerbs,
  type EventVerb,
  type Grown,
  type StoreVerbs,
  VERBS,
  type Verb,
} from "./verbs.js";

/** What is reported of a write after it is written and before its caller gets the result. */
export interface Reports {
  grown(logs: Omit<Grown<unknown>, "result">): void;
  changed(effect: BotEffect, botId: string): void;
  ownerChanged(ownerUserId: string): void;
  /** @param log the bot whose consumer was rewound, or `FEED` */
  rewound(log: string): void;
}

/** The event that a call has appended to the logs of bots, where its caller had the whole of it. */
const APPENDED: {
  [Name in EventVerb]?: (...parameters: Parameters<Store[Name]>) => PushedEvent | undefined;
} = {
  appendInteraction: ({ event }) => event,
  // Bots hear the post or the edit that it makes. The event of the response itself is in the feed alone.
  appendResponse: ({ post, edit }) => post ?? edit?.event,
  appendEvent: ({ event }) => event,
  appendBotEvent: ({ event }) => event,
  editPost: ({ event }) => event,
  deletePost: ({ event }) => event,
};

const IN_FEED: ReadonlySet<Effect> = new Set(["feed", "identity", "credentials", "webhook", "bot"]);

/** Wraps the verbs that others than their callers have to be told of. One that changed nothing reports nothing. */
export function withEvents(verbs: EngineVerbs, report: Reports): StoreVerbs {
  const reporting = { ...verbs } as Record<Verb, unknown>;
  /** Whether the feed is on, as far as is known here. */
  let hasFeed = false;
  for (const verb of VERBS) {
    const effect: Effect = EFFECTS[verb];
    const isOfBot = isBotEffect(effect);
    const isInFeed = IN_FEED.has(effect);
    if (!isOfBot && !isInFeed && effect !== "event") continue;
    const write = verbs[verb] as (...parameters: unknown[]) => Promise<unknown>;
    const appended = APPENDED[verb as EventVerb] as
      | ((...parameters: unknown[]) => PushedEvent | undefined)
      | undefined;
    reporting[verb] = async (...parameters: unknown[]) => {
      const result = await write(...parameters);
      if (effect === "event") {
        const grown = result as Grown<unknown>;
        report.grown(withEvent(grown, appended?.(...parameters)));
        return grown.result;
      }
      if (result && isInFeed && hasFeed) report.grown({ heads: [FEED_GREW] });
      if (result && isOfBot) report.changed(effect, (parameters[0] as BotRef).botId);
      return result;
    };
  }
  return {
    ...(reporting as StoreVerbs),
    async putOwner(ownerUserId, edit, now) {
      const change = await verbs.putOwner(ownerUserId, edit, now);
      report.ownerChanged(ownerUserId);
      for (const botId of change.botIds) report.changed("bot", botId);
      return change;
    },
    async moveConsumer(log, name, to, now) {
      const moved = await verbs.moveConsumer(log, name, to, now);
      if (to.rewind && moved && !isRefusal(moved)) report.rewound(log);
      return moved;
    },
    async hasFeed() {
      hasFeed = await verbs.hasFeed();
      return hasFeed;
    },
    async switchFeed(isOn, hasAudit) {
      await verbs.switchFeed(isOn, hasAudit);
      hasFeed = isOn;
    },
  };
}

/** How many updates of bots there are, one of each of these logs. */
export const updatesIn = (heads: readonly LogHead[]): number =>
  heads.filter(({ botId }) => botId !== FEED).length;

/** Whoever waits for one of the logs has the event with the hint, and need not read it. */
function withEvent(grown: Grown<unknown>, event: PushedEvent | undefined): Grown<unknown> {
  if (!event || grown.heads.length === 0) return grown;
  const events = [event];
  return { ...grown, heads: grown.heads.map((head) => (head.botId === FEED ? head : { ...head, events })) };
}

function isBotEffect(effect: Effect): effect is BotEffect {
  return ["identity", "credentials", "lane", "webhook", "bot"].includes(effect);
}
