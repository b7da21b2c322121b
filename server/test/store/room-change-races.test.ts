import { describe, expect, it } from "vitest";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import type { PutRoom } from "#botyard/operations/channels/put-rooms.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, useTwoStores } from "../support/engines.js";
import { makeHolder, putAll, putEachAlone } from "../support/room-holder.js";
import { makeBot } from "../support/store-fixtures.js";

let here: Store;
let there: Store;
useTwoStores((stores) => {
  ({ here, there } = stores);
});

const RACES = 12;

describe(`changes of rooms in bulk at once on ${engine.name}`, () => {
  it("end with the bots and titles of one call when several change the same rooms at once", async () => {
    const holder = await makeHolder(here);
    const { ownerUserId, bots, id } = holder;
    const externalIds = Array.from({ length: 8 }, (_, n) => `room-${n}`);
    await putAll(
      here,
      ownerUserId,
      externalIds.map((externalId) => ({ externalId, title: "First", bots: [] })),
    );
    for (let race = 0; race < RACES; race += 1) {
      const wishes = [
        { title: `One ${race}`, bots: [{ botId: id(0) }, { botId: id(4) }] },
        { title: `Two ${race}`, bots: [{ botId: id(1), role: "member" as const }] },
        { title: `Three ${race}`, bots: [{ botId: id(0), role: "reader" as const }, { botId: id(2) }] },
      ];
      const all = wishes.map((wish, n) => {
        const rooms = externalIds.map((externalId) => ({ externalId, ...wish }));
        return n === 2 && race % 2 === 0
          ? putEachAlone(there, ownerUserId, rooms)
          : putAll(n === 1 ? there : here, ownerUserId, n === 0 ? rooms.toReversed() : rooms);
      });
      await Promise.all(all);
      const rooms = await there.findRooms({ ownerUserId, externalIds }, 10);
      const wished = wishes.map((wish) =>
        wish.bots
          .map(({ botId }) => botId)
          .sort()
          .join(),
      );
      for (const room of rooms) {
        expect(wished).toContain(
          room.bots
            .map(({ botId }) => botId)
            .sort()
            .join(),
        );
        expect(wishes.map(({ title }) => title)).toContain(room.channel.title);
      }
      for (const bot of bots)
        expect((await here.readStats(bot))?.attachedChannels).toBe(
          rooms.filter((room) => room.bots.some(({ botId }) => botId === bot.botId)).length,
        );
    }
  });

  it("are changed once by each of two calls at one instance, which do not undo each other in turns", async () => {
    const { ownerUserId, id } = await makeHolder(here);
    const rooms = (role: "member" | "moderator") =>
      Array.from({ length: 60 }, (_, n) => ({
        externalId: `turn-${n}`,
        title: role,
        bots: [0, 1, 4].map((bot) => ({ botId: id(bot), role })),
      }));
    await putAll(
      here,
      ownerUserId,
      rooms("member").map((room) => ({ ...room, bots: [] })),
    );
    await Promise.all([
      putAll(here, ownerUserId, rooms("member")),
      putAll(here, ownerUserId, rooms("moderator").toReversed()),
    ]);
    const changes = new Map<string, number>();
    for (const { target } of await here.listAudit(ownerUserId, {}, 10_000)) {
      const key = `${target.type} ${target.id} ${target.channelId}`;
      changes.set(key, (changes.get(key) ?? 0) + 1);
    }
    const ofAttachments = [...changes].filter(([key]) => key.startsWith("attachment"));
    expect(ofAttachments).toHaveLength(180);
    // Attached by the one, changed by the other.
    expect(Math.max(...ofAttachments.map(([, count]) => count))).toBe(2);
  });

  it("leave a bot that is attached beside a change of the title with the title that the channel has", async () => {
    const { ownerUserId, id } = await makeHolder(here);
    const bot = { ownerUserId, botId: id(0) };
    const room = (race: number, title: string, bots: readonly { botId: string }[]) => ({
      externalId: `titled-${race}`,
      title,
      bots,
    });
    for (let race = 0; race < 3 * RACES; race += 1) {
      const [made] = await putAll(here, ownerUserId, [room(race, "before", [])]);
      const channelId = (made as PutRoom).channel.id;
      const edit = () => editChannel(there, { ownerUserId, channelId }, { title: "after" });
      const attach = () => attachBot(here, bot, channelId, {});
      const attachInBulk = () => {
        return putAll(here, ownerUserId, [room(race, "after", [{ botId: id(0) }])]);
      };
      const retitleInBulk = () =>
        putAll(there, ownerUserId, [{ externalId: `titled-${race}`, title: "after" }]);
      const calls = [
        [attach, edit],
        [attach, retitleInBulk],
        [edit, attachInBulk],
      ][race % 3] as (() => Promise<unknown>)[];
      await Promise.all(calls.map((call) => call()));
      const told = (await here.readUpdates(id(0), 0, 1_000))
        .map(({ payload }) => JSON.parse(payload) as { channel_id: string; channel?: { title: string } })
        .filter((one) => one.channel_id === channelId);
      expect(told.at(-1)?.channel?.title).toBe("after");
    }
  });

  it("hear by a subscription that is set at the same moment, and are counted beside whatever is deleted", async () => {
    const holder = await makeHolder(here);
    const { ownerUserId, id, bots } = holder;
    for (let race = 0; race < RACES; race += 1) {
      const externalIds = [0, 1, 2, 3].map((n) => `race-${race}-${n}`);
      const wish = (title: string, ...of: string[]) =>
        externalIds.map((externalId) => ({ externalId, title, bots: of.map((botId) => ({ botId })) }));
      const made = await putAll(here, ownerUserId, wish("Before", id(0), id(1)));
      const channels = made.map((one) => (one as PutRoom).channel.id);
      const gone = await makeBot(here, ownerUserId);
      const meanwhile = [
        () =>
          there.putSubscription(bots[3] as BotRef, {
            eventTypes: ["channel.post_created", `r.r${race}`],
            posts: race % 2 === 0 ? "mentions" : "all",
            ownPosts: true,
          }),
        () => there.deleteBot(gone),
        () => deleteChannel(there, { ownerUserId, channelId: channels[2] as string }),
      ][race % 3] as () => Promise<unknown>;
      const wished = wish("After", id(1), id(3), ...(race % 3 === 1 ? [gone.botId] : []));
      await Promise.all([putAll(here, ownerUserId, wished), meanwhile()]);
      const rooms = await here.findRooms({ ownerUserId, externalIds }, 10);
      const own = (await here.listBotChannels(id(3), 1_000)).length;
      expect((await here.readStats(bots[3] as BotRef))?.attachedChannels).toBe(own);
      for (const { channel, bots: attached } of rooms) {
        expect(attached.map(({ botId }) => botId)).not.toContain(gone.botId);
        if (race % 3 !== 0) continue;
        expect(attached.map(({ botId }) => botId)).toEqual([id(1), id(3)]);
        const heard = (await here.countListeners([channel.id])).get(channel.id);

        expect(heard?.posts).toBe(race % 2 === 0 ? 1 : 2);
      }
    }
  });
});
