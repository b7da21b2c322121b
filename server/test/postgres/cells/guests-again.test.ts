import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import * as changes from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import type { Cell } from "#botyard/store/cells/cell.js";
import type { Apart } from "#botyard/store/cells/guests/apart.js";
import { followChanges } from "#botyard/store/cells/guests/follow-changes.js";
import { guestOwnerOf } from "#botyard/store/cells/guests/guests.js";
import { guestsOf, removeGuest } from "#botyard/store/cells/guests/introduce.js";
import type { BotRef, CarriedEntry, Store } from "#botyard/store/store.js";
import { cellOf, databaseAt, openCellsAt, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { aDirectChannel, aNotice, aPost, makeBot, makeChannel } from "../../support/store-fixtures.js";

let database: TestDatabase;
let opened: OpenCells;
let store: Store;
let bot: BotRef;
let witness: BotRef;
let channelId: string;
let holder: string;

/** Two listed bots of `bob` in a channel of an owner in another cell. */
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  opened = await openCellsAt(database.url);
  ({ store } = opened);
  bot = await makeBot(store, "bob");
  witness = await makeBot(store, "bob");
  for (let n = 0; ; n += 1) {
    holder = `alice-${n}`;
    channelId = await makeChannel(store, holder);
    if ((await homeOf(holder)) !== (await homeOf("bob"))) break;
  }
  for (const one of [bot, witness]) {
    await store.editBot(one, { visibility: "listed", updatedAt: Date.now() });
    await store.putSubscription(one, { eventTypes: ["*"], posts: "all", ownPosts: false });
    await attachBot(store, { ownerUserId: holder, botId: one.botId }, channelId, {}, "member");
  }
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const homeOf = (owner: string) => cellOf(database.url, owner);
const heardBy = async ({ botId }: BotRef): Promise<string[]> =>
  (await store.readUpdates(botId, 0, 1_000)).map(
    ({ eventType = "channel.post_created", payload }) => `${eventType} ${JSON.parse(payload).body ?? ""}`,
  );
const post = async (body: string) =>
  await store.appendPosts([aPost(channelId, body, { ownerUserId: holder })]);
/** As if the process had died right before it noted how far it was. */
const carryAgain = async () => {
  for (const schema of ["public", "b"])
    await rowsOf(database.url, `UPDATE ${schema}.consumers SET position = 0 WHERE name = 'relay'`);
};
const hearsLast = async () => {
  await post("last");
  await eventually("the last is heard", async () => (await heardBy(witness)).at(-1)?.endsWith(" last"));
};

describe("what is carried again", () => {
  it("changes nothing when it was deleted since", async () => {
    const echo = { botId: bot.botId };
    const { post: own } = await publishPost(store, { ...echo, username: "echo" }, { channelId, body: "own" });
    await changes.editPost(store, echo, { channelId, postId: own.id }, { body: "edited" });
    await changes.deletePost(store, echo, { channelId, postId: own.id });
    await carryAgain();
    await hearsLast();
    const kinds = ["bot.attached ", "channel.post_created ", "channel.post_edited ", "channel.post_deleted "];
    expect(await heardBy(witness)).toEqual([...kinds, "channel.post_created last"]);
  });

  it("changes nothing when its author has left since", async () => {
    await store.appendPosts([aPost(channelId, "own", { botId: bot.botId })]);
    const event = { id: newId(), eventType: "ticket.opened", payload: "{}", createdAt: Date.now() };
    await store.appendBotEvent({ botId: bot.botId, channelId, event });
    await detachBot(store, bot, channelId);
    await carryAgain();
    await hearsLast();
    const heard = [
      "bot.attached ",
      "channel.post_created own",
      "ticket.opened ",
      "channel.post_created last",
    ];
    expect(await heardBy(witness)).toEqual(heard);
  });
});

it("leaves a direct channel as it is that another instance has made since it was looked for", async () => {
  const { botId } = witness;
  const event = { ...aNotice("bot.attached"), createdAt: Date.now() };
  const channel = { ...aDirectChannel(witness), ownerUserId: holder, createdAt: event.createdAt };
  const rules = { perOwner: 10, perHolder: 10 };
  expect(await store.createDirectChannel(channel, event, rules)).toMatchObject({ id: channel.id });
  const [home, away] = await Promise.all(
    ["bob", holder].map(async (owner) => {
      const name = await homeOf(owner);
      return opened.cells().find((cell) => cell.name === name) as Cell;
    }),
  );
  let looks = 0;
  const before = async (...ref: Parameters<Store["findChannel"]>) =>
    looks++ === 0 ? undefined : await away?.store.findChannel(...ref);
  const attachment = { channelId: channel.id, holder, by: "holder", event, direct: { channel, rules } };
  const entry = { payload: JSON.stringify({ ownerUserId: "bob", botId, attachment }) } as CarriedEntry;
  const apart = { home, away: { ...away, store: { ...away?.store, findChannel: before } } } as Apart;
  await followChanges(apart, [entry], async () => undefined);
  for (const cell of [home, away])
    expect(await cell?.store.findMembership(botId, channel.id)).toMatchObject({ role: "moderator" });
});

it("is in the order of the channel, with posts of bots that the other cell does not know", async () => {
  const [near, listener] = [await makeBot(store, holder), await makeBot(store, holder)];
  for (const one of [near, listener]) await attachBot(store, one, channelId, {}, "member");
  const author = (n: number) => (n % 2 ? { botId: near.botId } : { ownerUserId: holder });
  // The relay meets several at once.
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => store.appendPosts([aPost(channelId, `post ${n}`, author(n))])),
  );
  await hearsLast();
  const posts = async (one: BotRef) => (await heardBy(one)).filter((text) => text.includes(" post "));
  expect(await posts(witness)).toEqual(await posts(listener));
});

it("says that a post is deleted only once it is erased in all cells, also when asked again", async () => {
  await post("words");
  await eventually("it is carried", async () => (await heardBy(witness)).at(-1)?.endsWith(" words"));
  const [{ id: postId } = { id: "" }] = (await store.listPosts(channelId, 1)) ?? [];
  const home = (await homeOf("bob")) === "first" ? "public" : "b";
  const trigger = `CREATE FUNCTION ${home}.no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.7); RETURN NEW; END $$;
    CREATE TRIGGER slow BEFORE UPDATE ON ${home}.events FOR EACH ROW EXECUTE FUNCTION ${home}.no()`;
  await rowsOf(database.url, trigger);
  const alice = { ownerUserId: holder, username: "alice" };
  const erase = () =>
    changes.deletePost(store, alice, { channelId, postId }, { idempotencyKey: "a deletion" });
  const first = erase();
  await eventually("it is gone there", async () => (await store.listPosts(channelId, 1))?.length === 0);
  expect(await erase()).toBe(true);
  const left = `SELECT payload FROM public.events UNION ALL SELECT payload FROM b.events`;
  expect(JSON.stringify(await rowsOf(database.url, left))).not.toContain("words");
  await first;
});

it("erases a post with many edits in all cells before it says so, while the instances that hold the upkeep hang", async () => {
  const alice = { ownerUserId: holder, username: "alice" };
  const { post: written } = await publishPost(store, alice, { channelId, body: "words" });
  const ref = { channelId, postId: written.id };
  // More than the call that deletes a post erases by itself.
  for (let edit = 1; edit <= 520; edit += 1)
    await changes.editPost(store, alice, ref, { body: `words, edited ${edit}` });
  await hearsLast();
  for (const schema of ["public", "b"])
    await rowsOf(
      database.url,
      `INSERT INTO ${schema}.upkeep AS u (id, holder, lease_until) VALUES (1, 'one that hangs', 9000000000000)
      ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until`,
    );
  await changes.deletePost(store, alice, ref);
  const left = "SELECT payload FROM public.events UNION ALL SELECT payload FROM b.events";
  expect(JSON.stringify(await rowsOf(database.url, left))).not.toContain("words");
});

it("reaches the bots of one cell while another one hangs", async () => {
  const admin = await administerCells(databaseAt(database.url), () => {});
  await admin.add("c", undefined, "c", () => {});
  const homes = ["first", "b", "c"];
  const away = (await homeOf(holder)) ?? "";
  const [near = "", hanging = ""] = homes.filter((name) => name !== away);
  await store.close();
  ({ store } = await openCellsAt(database.url));
  const carol = await makeBot(store, "carol");
  await admin.move("carol", near, () => {});
  const dave = await makeBot(store, "dave");
  await admin.move("dave", hanging, () => {});
  await admin.close();
  for (const one of [carol, dave]) {
    await store.editBot(one, { visibility: "listed", updatedAt: Date.now() });
    await attachBot(store, { ownerUserId: holder, botId: one.botId }, channelId, {}, "member");
  }
  const lock = new pg.Client({ connectionString: database.url });
  await lock.connect();
  await lock.query(
    `BEGIN; LOCK TABLE ${hanging === "first" ? "public" : hanging}.events IN ACCESS EXCLUSIVE MODE`,
  );
  for (const body of ["one", "two", "three"]) {
    const startedAt = performance.now();
    await post(body);
    await eventually(`${body} is heard`, async () => (await heardBy(carol)).at(-1)?.endsWith(` ${body}`));
    expect(performance.now() - startedAt).toBeLessThan(2_500);
  }
  await lock.query("COMMIT");
  await lock.end();
  await eventually("all is heard", async () => (await heardBy(dave)).at(-1)?.endsWith(" three"));
});

it("finds each guest of an owner, also while those before are removed", async () => {
  const cell = opened.cells()[0] as Cell;
  const ids = Array.from({ length: 250 }, newId);
  // They have become guests in another order than they were made in.
  for (const id of ids.toReversed())
    await cell.store.createBot({
      id,
      botUserId: newId(),
      ownerUserId: guestOwnerOf("carol"),
      username: `b_${id.replaceAll("-", "")}`,
      displayName: "",
      description: "",
      createdAt: 1,
      updatedAt: 1,
      tokenHash: id,
    });
  const found: string[] = [];
  for await (const guest of guestsOf(cell.store, "carol")) {
    found.push(guest.botId);
    await removeGuest(cell.store, guest);
  }
  expect(found.toSorted()).toEqual(ids.toSorted());
  expect(await cell.store.listBots(guestOwnerOf("carol"), { limit: 1 })).toEqual([]);
});
