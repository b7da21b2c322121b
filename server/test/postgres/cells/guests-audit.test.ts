import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuditEntry } from "#botyard/domain/audit.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { deleteBot } from "#botyard/operations/bots/delete-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import type { Cell } from "#botyard/store/cells/cell.js";
import type { AuditContext, BotRef, Store } from "#botyard/store/store.js";
import { cellOf, openCellsAt } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { holdChangesLog } from "../../support/held-log.js";
import { makeBot, makeChannel } from "../../support/store-fixtures.js";

const MAKER = "bob";
/** Of each of two instances, at once. */
const CHANGES_AT_ONCE = 12;

let database: TestDatabase;
let instances: OpenCells[];
let store: Store;
let holder: string;
let channelId: string;
let bot: BotRef;

beforeAll(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  instances = [await openCellsAt(database.url), await openCellsAt(database.url)];
  store = storeOf(0);
  bot = await makeBot(store, MAKER);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  for (let n = 0; ; n += 1) {
    holder = `alice-${n}`;
    channelId = await makeChannel(store, holder);
    if ((await schemaOf(holder)) !== (await schemaOf(MAKER))) break;
  }
}, 60_000);
afterAll(async () => {
  await Promise.all(instances.map((one) => one.store.close()));
  await database.drop();
});

const storeOf = (instance: number): Store => (instances[instance] as OpenCells).store;
const schemaOf = (owner: string) => cellOf(database.url, owner);

const auditOf = (ownerUserId: string, operation: string): AuditContext => ({
  by: { type: "owner", id: ownerUserId, tokenId: "" },
  ownerUserId,
  operation,
  requestId: newId(),
});
/** The oldest first. */
const entriesOf = async (owner: string, target = bot.botId): Promise<AuditEntry[]> =>
  (await store.listAudit(owner, { target }, 1_000)).toReversed();

/** The cell of an owner, as the first instance serves it. */
async function cellServing(owner: string): Promise<Cell> {
  const schema = await schemaOf(owner);
  const cell = instances[0]?.cells().find(({ name }) => name === (schema === "public" ? "first" : schema));
  if (!cell) throw new Error("the cell is not open");
  return cell;
}

/** Keeps the instances from following what the maker's cell tells the holder's. */
const holdLog = async () => await holdChangesLog(await cellServing(MAKER), await cellServing(holder));

type Role = "moderator" | "member" | "reader";
const attach = async (by: Store, role: Role, audit = auditOf(holder, "attachBot")) =>
  await attachBot(by, { ownerUserId: holder, botId: bot.botId, audit }, channelId, {}, role);
const takeOut = async (by: Store, audit = auditOf(holder, "detachBot")) =>
  await detachBot(by, { ownerUserId: holder, botId: bot.botId, audit }, channelId);
const leave = async (by: Store, audit = auditOf(MAKER, "detachBot")) =>
  await detachBot(by, { ...bot, audit }, channelId);

it("has an entry of each change of an attachment, of changes at once on two instances, too", async () => {
  const roles = ["moderator", "member", "reader"] as const;
  const change = async (by: Store, n: number): Promise<void> => {
    if (n % 4 === 3) await (n % 8 === 3 ? takeOut(by) : leave(by));
    else await attach(by, roles[n % 3] as Role);
  };
  const done = await Promise.allSettled(
    [0, 1].flatMap((instance) =>
      Array.from({ length: CHANGES_AT_ONCE }, (_, n) => change(storeOf(instance), n + instance)),
    ),
  );
  expect(done.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(CHANGES_AT_ONCE / 2);
  const entries = await entriesOf(holder);
  expect(entries.length).toBeGreaterThan(1);
  let role: unknown;
  for (const { changes, target, requestId } of entries) {
    expect(target).toEqual({ type: "attachment", id: bot.botId, channelId });
    expect(changes["role"]?.before, requestId).toBe(role);
    role = changes["role"]?.after;
  }
  expect((await store.findMembership(bot.botId, channelId))?.role).toBe(role);
  expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(entries.length);
});

it("has each of the changes that the channel's cell has followed late", async () => {
  await attach(store, "member");
  const before = (await entriesOf(holder)).length;
  const { release } = await holdLog();
  const steps = [
    auditOf(MAKER, "detachBot"),
    auditOf(holder, "attachBot"),
    auditOf(holder, "attachBot"),
  ] as const;
  await leave(store, steps[0]);
  await expect(attach(store, "reader", steps[1])).rejects.toThrow("another cell has not heard of it yet");
  await expect(attach(storeOf(1), "moderator", steps[2])).rejects.toThrow(
    "another cell has not heard of it yet",
  );
  expect(await entriesOf(holder)).toHaveLength(before);
  await release();
  await eventually("all is followed", async () => (await entriesOf(holder)).length === before + 3);
  expect((await entriesOf(holder)).slice(before)).toMatchObject([
    {
      operation: "detachBot",
      requestId: steps[0].requestId,
      by: { type: "bot", id: bot.botId, tokenId: "" },
      changes: { role: { before: "member" } },
    },
    { requestId: steps[1].requestId, by: { id: holder }, changes: { role: { after: "reader" } } },
    { requestId: steps[2].requestId, changes: { role: { before: "reader", after: "moderator" } } },
  ]);
  // The maker's own is in the cell of the bot.
  const own = (await entriesOf(MAKER)).filter(({ requestId }) => requestId === steps[0].requestId);
  expect(own).toMatchObject([{ by: { type: "owner", id: MAKER }, changes: { role: { before: "member" } } }]);
}, 60_000);

it("has that a bot came and has left when it is deleted before the channel's cell has followed", async () => {
  const gone = await makeBot(store, MAKER);
  await store.editBot(gone, { visibility: "listed", updatedAt: Date.now() });
  const { release } = await holdLog();
  const audit = auditOf(holder, "attachBot");
  const attaching = attachBot(
    store,
    { ownerUserId: holder, botId: gone.botId, audit },
    channelId,
    {},
    "member",
  );
  await expect(attaching).rejects.toThrow("another cell has not heard of it yet");
  const deletion = { ...gone, audit: auditOf(MAKER, "deleteBot") };
  await expect(deleteBot(storeOf(1), deletion)).rejects.toThrow("another cell has not heard of it yet");
  await release();
  await eventually("all is followed", async () => (await entriesOf(holder, gone.botId)).length > 1);
  const target = { type: "attachment", id: gone.botId, channelId };
  const by = { type: "bot", id: gone.botId, tokenId: "" };
  expect(await entriesOf(holder, gone.botId)).toMatchObject([
    { operation: "attachBot", requestId: audit.requestId, target, changes: { role: { after: "member" } } },
    { operation: "deleteBot", by, target, changes: { role: { before: "member" } } },
  ]);
}, 60_000);

it("has what a bot deletes of others, of the holder and of its maker", async () => {
  await attach(store, "moderator");
  const author = { ownerUserId: holder, username: holder };
  const { post } = await publishPost(store, author, { channelId, body: "words" });
  await eventually("the bot may read it", async () => {
    const found = await store.findPost({ botId: bot.botId }, channelId, post.id);
    return typeof found === "object";
  });
  const audit: AuditContext = {
    ...auditOf(MAKER, "deleteOwnPost"),
    by: { type: "bot", id: bot.botId, tokenId: "t" },
  };
  await deletePost(store, { botId: bot.botId, audit }, { channelId, postId: post.id });
  const target = { type: "post", id: post.id, channelId };
  const { requestId } = audit;
  expect(await entriesOf(MAKER, post.id)).toMatchObject([{ requestId, target, by: { tokenId: "t" } }]);
  expect(await entriesOf(holder, post.id)).toMatchObject([{ requestId, target, by: { tokenId: "" } }]);
});

it("has an entry that was carried while another channel of the holder was being deleted", async () => {
  const owner = `carol-${newId()}`;
  const [gone] = [await makeChannel(store, owner), await makeChannel(store, owner)];
  const schema = await schemaOf(owner);
  const cell = await cellServing(owner);
  const deleting = new pg.Client({ connectionString: database.url });
  await deleting.connect();
  await deleting.query(`BEGIN; DELETE FROM ${schema}.channels WHERE id = '${gone}'`);
  const id = newId();
  const entry = { id, audit: auditOf(owner, "attachBot"), target: { type: "bot", id }, changes: {} } as const;
  const carried = cell.store.carryAudit([entry]);
  await eventually("it waits for the deletion", async () => {
    const { rows } = await deleting.query("SELECT FROM pg_locks WHERE NOT granted");
    return rows.length > 0;
  });
  await deleting.query("COMMIT");
  await deleting.end();
  expect(await carried).toBe(true);
  expect(await cell.store.carryAudit([entry])).toBe(true);
  expect(await entriesOf(owner, id)).toHaveLength(1);
  expect(await cell.store.carryAudit([{ ...entry, audit: auditOf("nobody", "attachBot") }])).toBe(false);
});
