import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry } from "#botyard/domain/audit.js";
import { type Author, encodePost } from "#botyard/domain/events/post.js";
import { newId } from "#botyard/domain/ids.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { eraseUser } from "#botyard/operations/upkeep/erase-user.js";
import type { AuditContext, BotRef, OwnerEdit, Store } from "#botyard/store/store.js";
import { engine, useTwoStores } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import {
  aBot,
  aDirectChannel,
  aNotice,
  aPost,
  makeBot,
  makeChannel,
  NOW,
} from "../support/store-fixtures.js";
import { eraseUsers } from "../support/upkeep.js";

const TURNS = createOwnerTurns(() => performance.now());

let store: Store;
/** Another instance, where the engine has such. */
let other: Store;
useTwoStores((stores) => {
  ({ here: store, there: other } = stores);
});

let owners = 0;
let owner: string;
let ref: BotRef;
let channelId: string;
const context = (operation: string, requestId = "r1"): AuditContext => ({
  by: { type: "owner", id: owner, tokenId: "t" },
  ownerUserId: owner,
  operation,
  requestId,
});
const by = <Ref extends object>(of: Ref, operation = "o", requestId?: string) => ({
  ...of,
  audit: context(operation, requestId),
});
const entries = (filter = {}, limit = 100): Promise<AuditEntry[]> => store.listAudit(owner, filter, limit);
const changes = async () => (await entries()).map((entry) => entry.changes).toReversed();
const rename = (by_: Store, displayName: string, of = by(ref)) =>
  by_.editBot(of, { displayName, updatedAt: NOW });

beforeEach(async () => {
  owners += 1;
  owner = `owner-${owners}`;
  ref = await makeBot(store, owner);
  channelId = await makeChannel(store, owner);
});

describe(`the audit log on ${engine.name}`, () => {
  it("has who changed what, in what, before and after", async () => {
    await rename(store, "Weather", by(ref, "editBot", "r7"));
    const [entry] = await entries();
    expect(entry).toEqual({
      id: expect.any(String),
      at: expect.any(Number),
      ownerUserId: owner,
      by: { type: "owner", id: owner, tokenId: "t" },
      operation: "editBot",
      requestId: "r7",
      target: { type: "bot", id: ref.botId },
      changes: { display_name: { before: expect.any(String), after: "Weather" } },
    });
    expect(Math.abs(Date.now() - (entry?.at ?? 0))).toBeLessThan(60_000);
  });

  it("has nothing of an owner whose name begins as another's and an operation's do", async () => {
    const bob = `${owner} bob`;
    const audit = { ...context("editBot"), ownerUserId: bob };
    await rename(store, "Weather", { ...(await makeBot(store, bob)), audit });
    expect(await store.listAudit(bob, { operation: "editBot" }, 10)).toHaveLength(1);
    expect(await store.listAudit(owner, { operation: "bob editBot" }, 10)).toEqual([]);
  });

  it("has who else keeps a bot disabled, and no longer does", async () => {
    const platform = { ...by(ref), isPlatform: true };
    const suspend = (isSuspended: boolean) =>
      store.putOwner(owner, { suspension: isSuspended ? { reason: "spam" } : null }, NOW);
    await store.setBotDisabled(by(ref), true, NOW);
    await store.setBotDisabled(platform, true, NOW);
    await store.setBotDisabled(platform, true, NOW);
    await suspend(true);
    await store.setBotDisabled(platform, false, NOW);
    await store.setBotDisabled(platform, true, NOW);
    await suspend(false);
    await store.setBotDisabled(platform, false, NOW);
    expect(await changes()).toEqual([
      { disabled: { after: true }, disabled_by: { after: ["owner"] } },
      { disabled_by: { before: ["owner"], after: ["owner", "platform"] } },
      { disabled_by: { before: ["owner", "platform", "suspension"], after: ["suspension"] } },
      { disabled_by: { before: ["suspension"], after: ["platform", "suspension"] } },
      { disabled: { before: true }, disabled_by: { before: ["platform"] } },
    ]);
  });

  it("has what the platform notes about an owner with the platform alone", async () => {
    const put = (edit: OwnerEdit) => store.putOwner(owner, by(edit, "putOwner"), NOW);
    await put({ metadata: '{"plan":"free"}' });
    await put({ metadata: '{"plan":"paid"}', limits: { bots: 3 } });
    await put({ metadata: null, limits: { bots: 3 } });
    const all = await store.listAudit(undefined, { target: owner }, 10);
    expect(all.map(({ ownerUserId, changes: changed }) => [ownerUserId, Object.keys(changed)])).toEqual([
      [undefined, ["metadata"]],
      [owner, expect.arrayContaining(["limits", "metadata"])],
      [undefined, ["metadata"]],
    ]);
    expect(await entries()).toEqual([all[1]]);
  });

  it("has the limits of an owner by the names that the API gives them", async () => {
    const put = (limits: OwnerEdit["limits"]) => store.putOwner(owner, by({ limits }, "putOwner"), NOW);
    await put({ bots: 3, channels: 4, postsPerSecond: 5, destinations: 6, bytesKept: 7 });
    await put({ bots: null, channels: null, destinations: null, bytesKept: null });
    await put({ postsPerSecond: null });
    const five = { posts_per_second: 5 };
    const all = { ...five, bots: 3, channels: 4, destinations: 6, bytes_kept: 7 };
    expect(await changes()).toEqual([
      { limits: { after: all } },
      { limits: { before: all, after: five } },
      { limits: { before: five } },
    ]);
  });

  it("has one entry of the erasure of a user that several begin at once", async () => {
    const asked = (requestId: string) => ({
      audit: {
        ...context("eraseUser", requestId),
        ownerUserId: "",
        by: { type: "platform", id: "platform", tokenId: "t" } as const,
      },
    });
    for (let round = 1; round <= 5; round += 1) {
      const user = `user-${owners}-${round}`;
      const calls = Array.from({ length: 8 }, (_, at) =>
        (at % 2 ? store : other).eraseUser(user, asked(`r${at}`)),
      );
      expect(new Set(await Promise.all(calls))).toEqual(new Set([false]));
      expect(await store.listAudit(undefined, { target: user }, 10)).toHaveLength(1);
    }
  });

  it("has one entry of the erasure of a user that two wait for, and another of the next", async () => {
    const user = `user-${owners}`;
    const waiting = new Set<string>();
    const asked = (by: Store, requestId: string) => {
      const platform = { type: "platform", id: "platform", tokenId: "t" } as const;
      const noting: Store = {
        ...by,
        async eraseUser(...call) {
          const isErased = await by.eraseUser(...call);
          waiting.add(requestId);
          return isErased;
        },
      };
      return eraseUser(noting, user, {
        audit: { ...context("eraseUser", requestId), ownerUserId: "", by: platform },
      });
    };
    const upkeep = { ends: false };
    const erasing = Promise.all([asked(store, "r1"), asked(other, "r2"), asked(other, "r3")]);
    await eventually("all of them wait", () => waiting.size === 3);
    const kept = (async () => {
      for (; !upkeep.ends; await sleep(5)) await eraseUsers(store);
    })();
    try {
      expect(await erasing).toEqual(Array(3).fill("deleted"));
      expect(await store.listAudit(undefined, { target: user }, 10)).toHaveLength(1);
      expect(await asked(other, "r4")).toBe("deleted");
      expect(await store.listAudit(undefined, { target: user }, 10)).toMatchObject([{ requestId: "r4" }, {}]);
    } finally {
      upkeep.ends = true;
      await kept;
    }
  });

  it("has no entry of what nobody asked for, of what failed, and of what changed nothing", async () => {
    await rename(store, "Weather", ref as BotRef & { audit: AuditContext });
    await rename(store, "Weather");
    for (const edit of [{}, { metadata: null }]) await store.putOwner(owner, by(edit, "putOwner"), NOW);
    const taken = await makeBot(store, owner, `taken-${owners}`);
    expect(await store.createBot(by({ ...aBot(owner), username: `TAKEN-${owners}` }))).toBeUndefined();
    expect(await store.deleteBot(by({ ...taken, ownerUserId: "bob" }))).toBe(false);
    expect(await store.editBot(by({ ...taken, botId: newId() }), { updatedAt: NOW })).toBeUndefined();
    const subscription = { eventTypes: ["*"], posts: "all", ownPosts: true } as const;
    for (const of of [ref, by(ref)]) await store.putSubscription(of, { ...subscription, eventTypes: ["*"] });
    for (const of of [ref, by(ref)]) await store.setBotDisabled(of, true, NOW);
    for (const of of [ref, by(ref)]) await store.putCommands(of.botId, "[]", NOW, of);
    for (const of of [ref, by(ref)])
      await store.attachBot(of, channelId, aNotice("bot.attached"), undefined, "member");
    expect(await store.setWebhookPaused(by(ref), true, NOW)).toBe("no webhook");
    expect(await store.replayFailed(by(ref), 10, NOW)).toBe(0);
    expect(await store.deleteConsumer(ref.botId, "main", by(ref))).toBe(false);
    expect(await store.handInGivenUp(ref.botId, undefined, NOW, by(ref))).toBe(0);
    expect(await entries()).toEqual([]);
  });

  it("has the names alone of what is secret or long", async () => {
    await store.replaceBotToken(by(ref), "a".repeat(64));
    await store.editBot(by(ref), { description: "d", metadata: '{"m":1}', updatedAt: NOW });
    await store.putCommands(ref.botId, '[{"name":"help"}]', NOW, by(ref));
    const url = "https://example.com/key";
    await store.putWebhook(by(ref), { url, sealedSecret: "sealed", settings: { maxBatch: 2 } }, NOW);
    await store.putSubscription(by(ref), { eventTypes: ["a.b"], posts: "mentions", ownPosts: false });
    expect(await changes()).toEqual([
      { token: {} },
      { description: {}, metadata: {} },
      { commands: {} },
      { url: {}, secret: {}, settings: {} },
      { subscription: { after: { event_types: ["a.b"], posts: "mentions", own_posts: false } } },
    ]);
  });

  it("tells of what is made and removed", async () => {
    const made = by(aBot(owner, `made-${owners}`), "createBot");
    await store.createBot(made);
    await store.deleteBot(by({ ownerUserId: owner, botId: made.id }, "deleteBot"));
    await store.attachBot(by(ref, "attachBot"), channelId, aNotice("bot.attached"));
    await store.deleteChannel(
      by({ ownerUserId: owner, channelId }, "deleteChannel"),
      aNotice("bot.detached"),
    );
    expect((await entries()).map(({ operation, target }) => [operation, target]).toReversed()).toEqual([
      ["createBot", { type: "bot", id: made.id }],
      ["deleteBot", { type: "bot", id: made.id }],
      ["attachBot", { type: "attachment", id: ref.botId, channelId }],
      ["deleteChannel", { type: "channel", id: channelId }],
    ]);
    expect((await changes())[1]).toMatchObject({ username: { before: `made-${owners}` }, token: {} });
  });

  it("says of the author of a deleted post only what they are, and of a bot which one", async () => {
    await store.attachBot(ref, channelId, aNotice("bot.attached"), undefined, "moderator");
    const away = await makeBot(store, `${owner}-2`);
    const authors: Author[] = [
      { type: "user", id: "user-7", username: "Zoe" },
      { type: "owner", id: `${owner}-2`, username: "Zoe" },
      { type: "bot", id: away.botId, username: "Zoe" },
    ];
    for (const author of [...authors, undefined]) {
      const post = aPost(channelId, "", { ownerUserId: owner });
      const payload = encodePost({ id: post.id, channelId, authorUsername: "Zoe", author, body: "x" });
      await store.appendPosts([{ ...post, payload }]);
      const moderator = by({ botId: ref.botId }, "deleteBotPost");
      await deletePost(store, moderator, { channelId, postId: post.id });
    }
    expect(await changes()).toEqual([
      { author_type: { before: "user" } },
      { author_type: { before: "owner" } },
      { author_type: { before: "bot" }, bot_id: { before: away.botId } },
      {},
    ]);
  });

  it("names no user of a direct channel", async () => {
    const made = { ...aDirectChannel(ref, "user-7"), title: "Chat with Zoe", description: "For Zoe" };
    const direct = by({ ownerUserId: owner, channelId: made.id });
    const ordinary = by({ ownerUserId: owner, channelId });
    await store.createDirectChannel(by(made), aNotice("bot.attached"), { perOwner: 9, perHolder: 9 });
    for (const of of [direct, ordinary]) {
      await editChannel(store, of, { title: "Zoe" });
      await editChannel(store, of, { description: "About Zoe" });
      await editChannel(store, of, { description: "About Zoe" });
    }
    await store.deleteChannel(direct, aNotice("bot.detached"));
    expect(await changes()).toEqual([
      { slug: { after: made.slug }, bot_id: { after: ref.botId } },
      {},
      {},
      { title: { before: "A channel", after: "Zoe" } },
      { description: {} },
      { slug: { before: made.slug }, bot_id: { before: ref.botId } },
    ]);
  });

  it("is read by owner, operation, target and time, newest first, page by page", async () => {
    for (const name of ["1", "2", "3"]) await rename(store, name, by(ref, `edit${name}`));
    await store.attachBot(by(ref, "edit2"), channelId, aNotice("bot.attached"));
    const operations = async (filter: object, limit = 100, of: string | undefined = owner) =>
      (await store.listAudit(of, filter, limit)).map(({ operation }) => operation);
    expect(await operations({})).toEqual(["edit2", "edit3", "edit2", "edit1"]);
    const [first, second, third] = await entries();
    expect(await operations({ before: second?.id }, 1)).toEqual(["edit2"]);
    expect(await operations({ before: third?.id })).toEqual(["edit1"]);
    expect(await operations({ operation: "edit2" })).toHaveLength(2);
    expect(await operations({ operation: "edit2", target: ref.botId })).toHaveLength(2);
    expect(await operations({ target: channelId })).toEqual(["edit2"]);
    expect(await operations({ target: ref.botId }, 2)).toEqual(["edit2", "edit3"]);
    expect(await operations({ target: "no id" })).toEqual([]);
    const at = first?.at ?? 0;
    expect(await operations({ to: at + 1 })).toHaveLength(4);
    expect(await operations({ from: at + 1 })).toEqual([]);
    expect(await operations({ from: at, operation: "edit2" })).toContain("edit2");
    expect(await operations({ from: 0, to: 1 })).toEqual([]);
    expect(await operations({ target: ref.botId }, 100, undefined)).toHaveLength(4);
    expect(await operations({ target: ref.botId }, 100, "bob")).toEqual([]);
    expect(await operations({ operation: "edit3" }, 100, "bob")).toEqual([]);
    expect((await store.listAudit(undefined, { operation: "edit3" }, 100)).length).toBeGreaterThan(0);
    expect(await store.listAudit(undefined, {}, 4)).toEqual(await entries());
  });

  it("has changes at once as if they had been made one after the other", async () => {
    const stores = [store, other];
    await Promise.all(Array.from({ length: 40 }, (_, n) => rename(stores[n % 2] ?? store, `name ${n % 8}`)));
    const seen = (await changes()).map(({ display_name: name }) => name);
    const { displayName } = (await store.findBot(ref)) ?? {};
    // Each entry begins where another one ended, but for the first.
    const steps = new Map<unknown, number>();
    for (const name of seen) {
      expect(name?.before).not.toBe(name?.after);
      steps.set(name?.before, (steps.get(name?.before) ?? 0) - 1);
      steps.set(name?.after, (steps.get(name?.after) ?? 0) + 1);
    }
    const open = [...steps].filter(([, count]) => count !== 0);
    expect(open.filter(([, count]) => count > 0)).toEqual([[displayName, 1]]);
    expect(open).toHaveLength(2);
  });

  it("has one entry of each attachment and each detachment, when they cross", async () => {
    const notice = () => aNotice("bot.attached");
    const calls = Array.from({ length: 30 }, (_, n) => {
      const at = n % 2 === 0 ? store : other;
      return n % 3 === 0
        ? at.detachBot(by(ref, "detachBot"), channelId, notice())
        : at.attachBot(by(ref, "attachBot"), channelId, notice());
    });
    await Promise.all(calls);
    const all = await changes();
    const attached = all.filter(({ role }) => role?.after !== undefined).length;
    const detached = all.filter(({ role }) => role?.before !== undefined).length;
    const isThere = (await store.findMembership(ref.botId, channelId)) !== undefined;
    expect(attached - detached).toBe(isThere ? 1 : 0);
    expect(all.length).toBe(attached + detached);
  });

  it("forgets what is older than its retention, step by step", async () => {
    for (const name of ["1", "2", "3"]) await rename(store, name);
    const before = Date.now() + 1_000;
    await store.runUpkeep({ kind: "forgetAudit", before: Date.now() - 60_000 }, 2);
    expect(await entries()).toHaveLength(3);
    const steps = [];
    for (let step: unknown; step !== "done"; steps.push(step))
      step = await store.runUpkeep({ kind: "forgetAudit", before }, 2);
    expect(steps.length).toBeGreaterThan(1);
    expect(await store.listAudit(undefined, {}, 100)).toEqual([]);
  });

  it("says of an owner who was erased that they were, and nothing else", async () => {
    await rename(store, "Weather");
    await rename(store, "Tides");
    expect(await store.eraseNames(owner, 1, by({}, "eraseOwner"))).toBe(true);
    expect(await store.eraseNames(owner, 10, by({}, "eraseOwner"))).toBe(false);
    expect(await store.eraseNames(owner, 10, by({}, "eraseOwner", "r2"))).toBe(false);
    expect(await entries()).toMatchObject([
      { operation: "eraseOwner", target: { type: "owner", id: owner }, requestId: "r1", changes: {} },
    ]);
    await rename(store, "Sun");
    await store.eraseNames(owner, 10);
    expect(await entries()).toHaveLength(1);
  });

  it("keeps nothing else of an owner who is erased while others change what they have", async () => {
    const bots = await Promise.all(Array.from({ length: 6 }, () => makeBot(store, owner)));
    const erase = async (): Promise<void> => {
      while ((await eraseOwner(other, TURNS, by({ ownerUserId: owner }, "eraseOwner"), owner)) !== "deleted");
    };
    const change = async (of: BotRef): Promise<void> => {
      for (let n = 0; n < 8; n += 1) {
        await rename(store, `name ${n}`, by(of));
        await store.attachBot(by(of), channelId, aNotice("bot.attached"));
        await store.putWebhook(by(of), { url: `https://example.com/${n}`, sealedSecret: null }, NOW);
        await store.detachBot(by(of), channelId, aNotice("bot.detached"));
      }
    };
    await Promise.all([erase(), ...bots.map(change)]);
    expect((await entries()).map(({ target }) => target)).toEqual([{ type: "owner", id: owner }]);
  });
});
