import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { createFairness } from "#botyard/fairness/fairness.js";
import type { WishedRoom } from "#botyard/operations/channels/change-rooms.js";
import type { ChannelCaps } from "#botyard/operations/channels/create-channel.js";
import { putExternalChannel } from "#botyard/operations/channels/put-external-channel.js";
import { type PutRoom, putRooms } from "#botyard/operations/channels/put-rooms.js";
import { setChannelBots } from "#botyard/operations/channels/set-channel-bots.js";
import type { BotRef, OwnerActor, Store } from "#botyard/store/store.js";
import { readAll } from "./feed-world.js";
import { makeBot, NOW } from "./store-fixtures.js";

const RULES = { perHolder: 1_000, perBot: 1_000, review: "off" } as const;
export const CAPS: ChannelCaps = { perOwner: { most: 1_000, setBy: "service" }, ...RULES };

const unhurried = (store: Store) => createFairness(store, Number.POSITIVE_INFINITY, () => {});

const actorOf = (ownerUserId: string): OwnerActor => ({
  ownerUserId,
  audit: {
    ownerUserId,
    by: { type: "owner", id: ownerUserId, tokenId: "t" },
    operation: "putExternalChannels",
    requestId: "r",
  },
});
/** Changes rooms in bulk, at full speed. */
export const putAll = (store: Store, ownerUserId: string, rooms: readonly WishedRoom[], caps = CAPS) =>
  putRooms(store, unhurried(store), actorOf(ownerUserId), caps, rooms);
/** The same by calls for each. */
export const putEachAlone = async (store: Store, ownerUserId: string, rooms: readonly WishedRoom[]) => {
  for (const { bots, ...room } of rooms) {
    const { channel } = await putExternalChannel(store, { ...room, ...actorOf(ownerUserId) }, CAPS.perOwner);
    const ref = { ...actorOf(ownerUserId), channelId: channel.id };
    if (bots) await setChannelBots(store, ref, bots, RULES);
  }
};
/** The title of a room that is as it shall be; else why it is not. */
export const statusOf = (one: PutRoom | Error) => (one instanceof Error ? one.message : one.channel.title);

/** An owner with four bots, which hear different things, and a listed one of somebody else. */
export async function makeHolder(
  here: Store,
  ownerUserId = `owner-${randomUUID()}`,
  maker = `maker-${randomUUID()}`,
) {
  const bots: BotRef[] = [];
  for (let n = 0; n < 4; n += 1) bots.push(await makeBot(here, ownerUserId));
  const listed = await makeBot(here, maker);
  await here.editBot(listed, { visibility: "listed", updatedAt: NOW });
  bots.push(listed);
  const hear = (n: number, eventTypes: string[]) =>
    here.putSubscription(bots[n] as BotRef, { eventTypes, posts: "all", ownPosts: true });
  await hear(0, ["*"]);
  await hear(1, ["bot.*", "channel.post_created"]);
  await hear(2, ["channel.updated"]);
  await hear(4, ["bot.detached", "channel.updated"]);
  const id = (n: number) => (bots[n] as BotRef).botId;
  return { ownerUserId, bots, id };
}
export type Holder = Awaited<ReturnType<typeof makeHolder>>;

/** Rooms as they are first, and as they shall be: of each kind of change some, together and by itself. */
export function roomsOf({ id }: Holder): { first: WishedRoom[]; later: WishedRoom[] } {
  const all = [0, 1, 2, 4].map((n) => ({ botId: id(n) }));
  const first = Array.from({ length: 9 }, (_, n) => ({
    externalId: `room-${n}`,
    title: `Room ${n}`,
    description: "as before",
    metadata: { n },
    bots: n === 7 ? [] : all,
  }));
  const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((n) => ({ botId: id(n) })) as [
    { botId: string },
    { botId: string },
    { botId: string },
    { botId: string },
    { botId: string },
  ];
  const room = (n: number, more: Partial<WishedRoom>): WishedRoom => ({
    externalId: `room-${n}`,
    title: `Room ${n}`,
    ...more,
  });
  return {
    first,
    later: [
      room(0, { bots: [a, b, c, d, e] }),
      room(1, { bots: [{ ...a, role: "reader" }, { ...b, role: "member" }, c, e] }),
      room(2, { bots: [] }),
      room(3, { title: "Another title", bots: [d, { ...a, role: "member" }] }),
      room(4, { description: "another", metadata: { n: "other" } }),
      room(5, { metadata: {} }),
      room(6, {}),
      room(7, { bots: [e, { ...b, role: "reader" }] }),
      room(8, { bots: all }),
    ],
  };
}

/** With the fields of its objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}

/** All that can be seen of an owner's rooms, without what differs between two owners. */
export async function seenOf(there: Store, { ownerUserId, bots, id }: Holder) {
  const rooms = await there.findRooms(
    { ownerUserId, externalIds: Array.from({ length: 9 }, (_, n) => `room-${n}`) },
    100,
  );
  const names = new Map<string, string>([[ownerUserId, "the owner"]]);
  for (const n of bots.keys()) names.set(id(n), `bot ${n}`);
  for (const { channel } of rooms) names.set(channel.id, `channel ${channel.externalId}`);
  for (const { ownerUserId: maker } of bots) if (!names.has(maker)) names.set(maker, "the maker");
  for (const [n, bot] of bots.entries()) names.set((await there.findBot(bot))?.username ?? "", `@bot ${n}`);
  const withNames = (value: unknown): unknown => {
    let text = JSON.stringify(value);
    for (const [one, name] of names) text = text.replaceAll(one, name);
    return JSON.parse(text) as unknown;
  };
  const byText = (list: readonly unknown[]) =>
    list.map((one) => JSON.stringify(sorted(withNames(one)))).sort();
  const logs = await Promise.all(
    bots.map(async ({ botId }) => {
      const updates = await there.readUpdates(botId, 0, 1_000);
      expect(updates.map(({ updateId }) => updateId)).toEqual(updates.map((_, n) => n + 1));
      // Of one channel in order; those of different ones may be in any.
      const told = updates.map(({ eventType, payload }) => ({
        eventType,
        payload: JSON.parse(payload) as { channel_id: string },
      }));
      return rooms.map(({ channel }) =>
        withNames(told.filter(({ payload }) => payload.channel_id === channel.id)),
      );
    }),
  );
  const feed = ((await there.hasFeed()) ? await readAll(there) : []).filter(
    (event) => event.ownerUserId === ownerUserId,
  );
  const audit = await there.listAudit(ownerUserId, {}, 1_000);
  return {
    rooms: byText(
      rooms.map(({ channel, bots: attached }) => ({
        channel: { ...channel, createdAt: 0 },
        attached: bots.map(({ botId }) => attached.find((one) => one.botId === botId)),
      })),
    ),
    logs,
    feed: byText(feed.map(({ eventType, payload, by }) => ({ eventType, payload, by }))),
    audit: byText(audit.map((entry) => ({ ...entry, id: "", at: 0 }))),
    counts: await Promise.all(bots.map(async (bot) => (await there.readStats(bot))?.attachedChannels)),
    heard: await Promise.all(
      rooms.map(async ({ channel }) => (await there.countListeners([channel.id])).get(channel.id)),
    ),
  };
}
