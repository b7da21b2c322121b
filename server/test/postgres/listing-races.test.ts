import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { aNotice, detach, makeBot, makeChannel, NOW } from "../support/store-fixtures.js";
import { waitingStatements } from "../support/waiting-statements.js";

const [MAKER, HOLDER] = ["maker", "holder"];

/** What ends the offer of a listed bot. */
const ENDINGS: Record<string, (store: Store, bot: BotRef) => Promise<unknown>> = {
  "is made private": (store, bot) => store.editBot(bot, { visibility: "private", updatedAt: NOW }),
  "is rejected": (store, { botId }) =>
    store.reviewBot(botId, { status: "rejected", note: "", reviewedAt: NOW }),
  "is disabled": (store, bot) => store.setBotDisabled(bot, true, NOW),
  "belongs to an owner whom the platform suspends": (store) =>
    store.putOwner(MAKER, { suspension: { reason: "spam" } }, NOW),
  "is deleted": (store, bot) => store.deleteBot(bot),
};

/** Two instances; each write waits at the bot's row until both have begun. */
describe("a listed bot that is attached by the holder of a channel", () => {
  let home: StoreHome;
  let here: Store;
  let there: Store;
  let intruder: pg.Client;
  let bot: BotRef;
  let channelId: string;

  beforeEach(async () => {
    home = await engine.createHome();
    [here, there] = [await home.open(), await home.open()];
    intruder = new pg.Client({ connectionString: home.environment.DATABASE_URL });
    await intruder.connect();
    bot = await makeBot(here, MAKER);
    await here.editBot(bot, { visibility: "listed", updatedAt: NOW });
    channelId = await makeChannel(here, HOLDER);
  });
  afterEach(async () => {
    await intruder.end();
    await Promise.all([here, there].map((store) => store.close()));
    await home.remove();
  });

  const attach = (store = there, channel = channelId) =>
    store.attachBot({ botId: bot.botId, ownerUserId: HOLDER }, channel, aNotice("bot.attached"), {});
  /** Begins each when the one before waits. */
  const inOrder = async (...writes: (() => Promise<unknown>)[]): Promise<unknown[]> => {
    await intruder.query("BEGIN; SELECT FROM bots FOR UPDATE");
    const begun: Promise<unknown>[] = [];
    for (const write of writes) {
      begun.push(write());
      await eventually(
        `${begun.length} statements wait for a lock`,
        async () => (await waitingStatements(intruder)) === begun.length,
      );
    }
    await intruder.query("ROLLBACK");
    return Promise.all(begun);
  };
  const attachments = async () =>
    (await intruder.query("SELECT l.channel_count FROM attachments JOIN lanes l USING (bot_key)")).rows;

  it.each(Object.keys(ENDINGS))("is refused after it %s", async (ending) => {
    const end = () => ENDINGS[ending]?.(here, bot) ?? Promise.reject();
    const [, refused] = await inOrder(end, attach);
    expect(refused).toBeUndefined();
    expect(await attachments()).toEqual([]);
  });

  it.each(Object.keys(ENDINGS))("stays in the channel when it %s after that", async (ending) => {
    const end = () => ENDINGS[ending]?.(here, bot) ?? Promise.reject();
    const [attached] = await inOrder(attach, end);
    expect(attached).toMatchObject({ channelId });
    expect(await attachments()).toEqual(ending === "is deleted" ? [] : [{ channel_count: 1 }]);
  });

  it("is attached twice at once, and once", async () => {
    const [one, two] = await inOrder(attach, () => attach(here));
    expect(two).toEqual(one);
    expect(await attachments()).toEqual([{ channel_count: 1 }]);
  });

  it("leaves while the holder takes it out, once", async () => {
    await attach();
    await intruder.query("BEGIN; SELECT FROM attachments FOR UPDATE");
    const left = detach(here, bot, channelId);
    const takenOut = detach(there, { ...bot, ownerUserId: HOLDER }, channelId);
    await eventually("both wait", async () => (await waitingStatements(intruder)) === 2);
    await intruder.query("ROLLBACK");
    expect((await Promise.all([left, takenOut])).filter(Boolean)).toHaveLength(1);
    expect(await attachments()).toEqual([]);
  });

  it("is not attached to a channel that its holder deletes", async () => {
    const other = await makeChannel(here, HOLDER);
    await intruder.query("BEGIN; SELECT FROM channels FOR UPDATE");
    const deleted = here.deleteChannel({ channelId: other, ownerUserId: HOLDER }, aNotice("channel.deleted"));
    const attached = attach(there, other);
    await eventually("both wait", async () => (await waitingStatements(intruder)) === 2);
    await intruder.query("ROLLBACK");
    await Promise.all([deleted, attached]);
    expect(await attachments()).toEqual([]);
  });
});
