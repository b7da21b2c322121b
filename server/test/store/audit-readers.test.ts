import { beforeEach, describe, expect, it } from "vitest";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { AuditContext, BotRef, Store } from "#botyard/store/store.js";
import { engine, useTwoStores } from "../support/engines.js";
import { attachAll, readAll } from "../support/feed-world.js";
import { aNotice, aRoom, makeBot, makeChannel, NOW } from "../support/store-fixtures.js";

const TURNS = createOwnerTurns(() => performance.now());
const AUDIT_ENTRY = "alert.audit_entry";

let store: Store;
/** Another instance, where the engine has such. */
let other: Store;
useTwoStores((stores) => {
  ({ here: store, there: other } = stores);
});

let owners = 0;
let owner: string;
let ref: BotRef;
beforeEach(async () => {
  owners += 1;
  owner = `owner-${owners}`;
  ref = await makeBot(store, owner);
});

const context = (operation: string): AuditContext => ({
  by: { type: "owner", id: owner, tokenId: "t" },
  ownerUserId: owner,
  operation,
  requestId: "r1",
});
const by = <Ref extends object>(of: Ref, operation: string) => ({ ...of, audit: context(operation) });
const subscriber = async (eventTypes: string[], of = owner) => {
  const bot = await makeBot(store, of);
  await store.putSubscription(bot, { eventTypes, posts: "all", ownPosts: true });
  return bot.botId;
};
const tell = async (limit = 10, by_ = store) => {
  while ((await by_.runUpkeep({ kind: "alert" }, limit)) === "more");
};
const heard = async (botId: string) =>
  (await store.readUpdates(botId, 0, 100)).map(({ eventType, payload }) => ({
    eventType,
    payload: JSON.parse(payload),
  }));
const operations = async (botId: string) => (await heard(botId)).map(({ payload }) => payload.operation);
const rename = (displayName: string, of: BotRef = by(ref, "editBot")) =>
  store.editBot(of, { displayName, updatedAt: NOW });

describe(`readers of the audit log on ${engine.name}`, () => {
  it("are bots of the owner that name its entries, and get each as the list has it, once and in order", async () => {
    const named = await subscriber([AUDIT_ENTRY]);
    const byPrefix = await subscriber(["alert.*", "webhook.*"]);
    const others = [
      await subscriber(["*"]),
      await subscriber(["webhook.*"]),
      await subscriber([AUDIT_ENTRY], "other"),
    ];
    for (let n = 0; n < 12; n += 1) await rename(`Weather ${n}`);
    await rename("nobody asks", ref);
    await tell(5);
    const listed = (await store.listAudit(owner, {}, 100)).toReversed();
    expect(listed).toHaveLength(12);
    for (const reader of [named, byPrefix]) {
      const updates = await heard(reader);
      expect(updates.map(({ payload }) => payload.id)).toEqual(listed.map(({ id }) => id));
      expect(updates[3]).toEqual({
        eventType: AUDIT_ENTRY,
        payload: {
          id: listed[3]?.id,
          at: new Date(listed[3]?.at ?? 0).toISOString(),
          owner_user_id: owner,
          by: { type: "owner", id: owner, token_id: "t" },
          operation: "editBot",
          target: { type: "bot", id: ref.botId },
          request_id: "r1",
          changes: { display_name: { before: "Weather 2", after: "Weather 3" } },
        },
      });
    }
    for (const other of others) expect(await heard(other)).toEqual([]);
  });

  // The owners of a change that concerns two may be in two cells: see test/postgres/cells.
  it.skipIf(engine.name === "cells")(
    "hear of all that writes entries: single changes, rooms in bulk, and what concerns two owners",
    async () => {
      const mine = await subscriber([AUDIT_ENTRY]);
      const theirs = await subscriber([AUDIT_ENTRY], `${owner}-2`);
      const room = aRoom(await makeBot(store, owner));
      const caps = { perOwner: 10, perBot: 10 };
      expect(await store.createRooms([by(room, "putExternalChannels")], caps)).toEqual([true]);
      const also = { ownerUserId: `${owner}-2`, by: { type: "bot", id: ref.botId, tokenId: "" } } as const;
      await store.attachBot(
        { ...ref, audit: { ...context("attachBot"), also } },
        room.id,
        aNotice("bot.attached"),
      );
      await tell();
      expect(await operations(mine)).toEqual(["putExternalChannels", "attachBot"]);
      expect(await heard(theirs)).toMatchObject([
        {
          payload: {
            operation: "attachBot",
            owner_user_id: `${owner}-2`,
            by: { type: "bot", id: ref.botId },
          },
        },
      ]);
    },
  );

  it("are the webhook for alerts, if its kinds name the entries", async () => {
    const id = await store.openWebhookLog("alerts", owner, ref.botId.replace(/^./, "f"));
    const webhook = { ownerUserId: owner, botId: id };
    const put = (eventTypes: string[]) =>
      store.putWebhook(
        webhook,
        { url: "https://example.com/", sealedSecret: null, settings: { eventTypes } },
        NOW,
      );
    for (const eventTypes of [[], ["*"], ["webhook.*"]]) {
      await put(eventTypes);
      await rename(`for ${eventTypes.join()}`);
    }
    await put(["webhook.*", AUDIT_ENTRY]);
    await rename("told");
    await tell();
    const recent = await store.listRecentUpdates(id, 10);
    expect(recent).toMatchObject([{ updateId: 1, eventType: AUDIT_ENTRY }]);
    expect(JSON.parse(recent[0]?.payload ?? "")).toMatchObject({
      changes: { display_name: { after: "told" } },
    });
  });

  it("do not wait for another owner who changes much", async () => {
    const busy = owner;
    await subscriber([AUDIT_ENTRY]);
    for (let n = 0; n < 30; n += 1) await rename(`Busy ${n}`);
    owner = `${busy}-quiet`;
    ref = await makeBot(store, owner);
    const quiet = await subscriber([AUDIT_ENTRY]);
    await rename("Quiet");
    for (let step = 0; step < 2; step += 1) await store.runUpkeep({ kind: "alert" }, 10);
    expect(await heard(quiet)).toMatchObject([
      { payload: { changes: { display_name: { after: "Quiet" } } } },
    ]);
    await tell();
  });

  it("get the changes of one thing in order, with ids in that order, by whichever instance they are", async () => {
    const reader = await subscriber([AUDIT_ENTRY]);
    const renaming = async (at: Store, n: number) => {
      for (let i = 0; i < 20; i += 1)
        await at.editBot(by(ref, "editBot"), { displayName: `${n} ${i}`, updatedAt: NOW });
    };
    await Promise.all([renaming(store, 1), renaming(other, 2), renaming(store, 3), renaming(other, 4)]);
    await tell();
    const listed = (await store.listAudit(owner, {}, 100)).toReversed();
    const names = listed.map(({ changes }) => changes["display_name"]);
    expect(names.slice(1).map((name) => name?.before)).toEqual(names.slice(0, -1).map((name) => name?.after));
    expect((await heard(reader)).map(({ payload }) => payload.id)).toEqual(listed.map(({ id }) => id));
  });

  it("get nothing that is gone before it is told", async () => {
    const reader = await subscriber([AUDIT_ENTRY]);
    await rename("old");
    while ((await store.runUpkeep({ kind: "forgetAudit", before: Date.now() + 60_000 }, 10)) === "more");
    await rename("new");
    await tell();
    expect(await heard(reader)).toMatchObject([
      { payload: { changes: { display_name: { before: "old", after: "new" } } } },
    ]);
  });
});

describe(`the audit log in the feed on ${engine.name}`, () => {
  const ofFeed = async () =>
    (await readAll(store)).filter(
      ({ eventType, payload }) => eventType === AUDIT_ENTRY && payload.owner_user_id === owner,
    );
  const switchFeed = async (hasAudit?: boolean) => {
    await store.switchFeed(true, hasAudit);
    await attachAll(store);
  };

  it("is there while it is asked for, with who did it", async () => {
    await switchFeed();
    await rename("not told");
    await switchFeed(true);
    await rename("told");
    const actor = { ...context("deleteBotPost"), by: { type: "bot", id: ref.botId, tokenId: "" } } as const;
    await rename("by the bot", { ...ref, audit: actor });
    await rename("by the platform", {
      ...ref,
      audit: { ...context("editBot"), by: { type: "platform", id: "platform", tokenId: "" } },
    });
    await tell();
    await switchFeed(false);
    await rename("no more");
    await tell();
    const events = await ofFeed();
    expect(events).toMatchObject([
      { ownerUserId: owner, by: { type: "owner", id: owner }, payload: { operation: "editBot" } },
      { ownerUserId: owner, by: { type: "bot", id: ref.botId }, payload: { operation: "deleteBotPost" } },
      { ownerUserId: owner, by: { type: "platform" }, payload: { changes: { display_name: {} } } },
    ]);
  });

  it("has nothing of an owner who was erased, told or not", async () => {
    await switchFeed(true);
    const channelId = await makeChannel(store, owner);
    await editChannel(store, by({ ownerUserId: owner, channelId }, "editChannel"), { title: "A name" });
    await tell();
    expect(await ofFeed()).toHaveLength(1);
    await rename("not told yet");
    const actor = { ownerUserId: owner, audit: context("eraseOwner") };
    while ((await eraseOwner(store, TURNS, actor, owner)) === "erasing");
    await tell();
    expect(await ofFeed()).toEqual([]);
    const texts = JSON.stringify(await readAll(store));
    for (const text of ["A name", "not told yet", `"${owner}"`]) expect(texts).not.toContain(text);
    expect((await store.listAudit(owner, {}, 10)).map(({ operation }) => operation)).toEqual(["eraseOwner"]);
  });

  it("does not name a user who is erased, which the list does", async () => {
    await switchFeed(true);
    const user = `zoe-${owners}`;
    await store.eraseUser(user, { audit: { ...context("eraseUser"), ownerUserId: "" } });
    await tell();
    expect(JSON.stringify(await readAll(store))).not.toContain(user);
    expect(await store.listAudit(undefined, { target: user }, 10)).toHaveLength(1);
  });

  it("has nothing of an owner who is erased while entries are told, and each of others once", async () => {
    await switchFeed(true);
    const kept = await makeBot(store, `${owner}-kept`);
    const reader = await subscriber([AUDIT_ENTRY], kept.ownerUserId);
    const erase = async () => {
      const actor = { ownerUserId: owner, audit: context("eraseOwner") };
      while ((await eraseOwner(other, TURNS, actor, owner)) === "erasing");
    };
    for (let round = 0; round < 20; round += 1) {
      owner = `erased-${owners}-${round}`;
      const doomed = await makeBot(store, owner);
      for (let n = 0; n < 3; n += 1) {
        await rename(`Gone ${round}-${n}`, by(doomed, "editBot"));
        const actor = { type: "owner", id: kept.ownerUserId, tokenId: "t" } as const;
        const audit = { ...context("editBot"), by: actor, ownerUserId: kept.ownerUserId };
        await rename(`Kept ${round}-${n}`, { ...kept, audit });
      }
      await Promise.all([tell(1), erase(), tell(2, other)]);
      await tell();
    }
    const texts = JSON.stringify(await readAll(store));
    expect(texts).not.toMatch(/Gone \d|"erased-/);
    const told = (await heard(reader)).map(({ payload }) => payload.changes.display_name.after);
    expect(told).toEqual(Array.from({ length: 60 }, (_, n) => `Kept ${Math.trunc(n / 3)}-${n % 3}`));
  });
});
