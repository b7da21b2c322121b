import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { encodeEdit, encodePost } from "#botyard/domain/events/post.js";
import { newId } from "#botyard/domain/ids.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { moveOwner } from "#botyard/store/postgres/move/move-owner.js";
import type { Store } from "#botyard/store/store.js";
import { createDeliveryWorld, type DeliveryWorld } from "../../support/delivery-world.js";
import { eventually } from "../../support/eventually.js";
import { aPost, attach, makeAttachedBot, makeBot, makeChannel } from "../../support/store-fixtures.js";
import { NO_GUESTS, openTwoCells, type TwoCells } from "../../support/two-cells.js";
import { countUsage } from "../../support/upkeep.js";

let cells: TwoCells;
let worlds: DeliveryWorld[];
beforeAll(async () => {
  cells = await openTwoCells();
  worlds = [await cells.one.open(), await cells.two.open()].map(createDeliveryWorld);
  for (const world of worlds) world.startDispatcher();
});
afterAll(async () => {
  for (const world of worlds) await world.close();
  await cells.close();
});

const OWNER = "mover";
const idsOf = (rows: readonly { id: string }[]) => new Set(rows.map(({ id }) => id));
/** Long enough that attempts are under way when the lanes come to rest. */
const ANSWERS_AFTER_MS = 30;
const BEFORE_MS = 300;
const AFTER_MS = 300;

it("nothing that was acknowledged is lost or there twice, whoever does not hear of the move", async () => {
  const { one, two } = cells;
  const [world] = worlds as [DeliveryWorld];
  const receiver = await world.startReceiver((response) =>
    setTimeout(() => response.end(), ANSWERS_AFTER_MS),
  );
  const listening = await makeAttachedBot(one.store, OWNER);
  const sent = await makeAttachedBot(one.store, OWNER);
  await one.store.putWebhook(sent.ref, { url: receiver.url, sealedSecret: null }, Date.now());
  const native = [await makeAttachedBot(one.store, "stays"), await makeAttachedBot(two.store, "native")];
  await attach(one.store, listening.ref, sent.channelId);
  const { channelId } = sent;

  let isMoving = true;
  let place = one;
  /** Repeats a write where the owner is, until it is acknowledged. No write is repeated that was. */
  const acknowledged = async <Result>(
    write: (store: Store) => Promise<Result | undefined | false>,
  ): Promise<Result> => {
    for (;;) {
      const { store } = place;
      try {
        const result = await write(store);
        if (result) return result;
      } catch {
        // Refused by the cell that the owner has left.
      }
      await sleep(5);
    }
  };
  const repeat = async (work: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 1; isMoving; n++) {
      await work(n);
      await sleep(1);
    }
  };

  const posted: string[] = [];
  const edited = new Map<string, number>();
  const deleted: string[] = [];
  const made: string[] = [];
  let position = 0;
  const post = async (): Promise<string> => {
    const written = aPost(channelId, "text", { ownerUserId: OWNER }, Date.now());
    await acknowledged(
      async (store) => (await store.appendPosts([{ ...written, idempotencyKey: written.id }]))[0],
    );
    posted.push(written.id);
    return written.id;
  };
  const natives = native.map(({ ref, channelId: home }, index) =>
    repeat(async () => {
      const { store } = index === 0 ? one : two;
      const [stored] = await store.appendPosts([
        aPost(home, "text", { ownerUserId: ref.ownerUserId }, Date.now()),
      ]);
      expect(stored).toBe(true);
    }),
  );
  const writers = [
    repeat(async () => {
      const { rows } = await one.client.query("SELECT state FROM owner_moves WHERE owner_user_id = $1", [
        OWNER,
      ]);
      if (rows[0]?.state === 3) place = two;
    }),
    repeat(async () => void (await post())),
    repeat(async () => void (await post())),
    repeat(async () => {
      const postId = await post();
      const newest = {
        id: postId,
        channelId,
        authorUsername: "someone",
        body: "edited",
        createdAt: Date.now(),
      };
      const revised = { ...newest, revision: 2, editedAt: Date.now() };
      const result = await acknowledged((store) =>
        store.editPost({
          channelId,
          postId,
          replaces: 1,
          payload: encodePost(revised),
          editedAt: Date.now(),
          event: {
            id: newId(),
            eventType: "channel.post_edited",
            payload: encodeEdit(revised),
            createdAt: Date.now(),
          },
          mentions: [],
        }),
      );
      expect(result).toBeTruthy();
      edited.set(postId, 2);
    }),
    repeat(async () => {
      const postId = await post();
      await acknowledged(async (store) => {
        await deletePost(store, { ownerUserId: OWNER }, { channelId, postId });
        return true;
      });
      deleted.push(postId);
    }),
    repeat(async () => {
      const head = await acknowledged((store) => store.readLogHead(listening.botId));
      await acknowledged((store) =>
        store.moveConsumer(
          listening.botId,
          "reader",
          { position: head, done: [], rewind: false },
          Date.now(),
        ),
      );
      position = head;
    }),
    repeat(async (n) => {
      if (n % 5 > 0) return;
      made.push(
        await acknowledged(async (store) => {
          const id = await makeChannel(store, OWNER);
          await attach(store, await makeBot(store, OWNER), id);
          return id;
        }),
      );
    }),
  ];

  await sleep(BEFORE_MS);
  const { pausedMs } = await moveOwner({
    from: one.address,
    to: two.address,
    ownerUserId: OWNER,
    noteMove: async () => {},
    guests: NO_GUESTS,
  });
  const movedAt = posted.length;
  await sleep(AFTER_MS);
  isMoving = false;
  await Promise.all([...writers, ...natives]);
  expect(pausedMs).toBeLessThan(2_000);
  expect(posted.length).toBeGreaterThan(movedAt);

  const rowsOf = async (sql: string, values: unknown[]) => (await two.client.query(sql, values)).rows;
  // Each post once, as it was written last.
  const stored = await rowsOf(
    `SELECT p.id, p.is_listed, (e.payload IS NOT NULL) AS is_edited FROM events p LEFT JOIN edited_posts e USING (event_key)
    WHERE p.event_type IS NULL AND p.channel_key = (SELECT channel_key FROM channels WHERE id = $1)`,
    [channelId],
  );
  expect(stored.length).toBe(posted.length);
  expect(idsOf(stored)).toEqual(new Set(posted));
  expect(idsOf(stored.filter(({ is_listed }) => !is_listed))).toEqual(new Set(deleted));
  expect(idsOf(stored.filter(({ is_edited }) => is_edited))).toEqual(new Set(edited.keys()));
  for (const { botId } of [listening, sent]) {
    const numbers = await rowsOf(
      `SELECT e.number, p.id, p.event_type FROM bots b JOIN entries e ON e.log_key = b.bot_key JOIN events p USING (event_key)
      WHERE b.id = $1 ORDER BY e.number`,
      [botId],
    );
    expect(numbers.map(({ number }) => Number(number))).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBe(await two.store.readLogHead(botId));
    const told = numbers.filter(({ event_type }) => event_type === null);
    expect(told.length).toBe(posted.length);
    expect(idsOf(told)).toEqual(new Set(posted));
  }
  const channels = await rowsOf("SELECT id FROM channels WHERE owner_user_id = $1", [OWNER]);
  expect(channels.map(({ id }) => id)).toEqual(expect.arrayContaining(made));
  const [consumer] = await two.store.listConsumers(listening.botId);
  expect(consumer?.position).toBe(position);

  // Each update was sent once, and what came of it is known.
  const head = (await two.store.readLogHead(sent.botId)) ?? 0;
  await eventually(
    "all to be delivered",
    async () => (await two.store.readStats(sent.ref))?.delivered === head,
  );
  const received = receiver.requests.map(({ updateId }) => updateId).sort((a, b) => a - b);
  expect(received).toEqual(Array.from({ length: head }, (_, index) => index + 1));

  await countUsage(one.store, Date.now());
  await countUsage(two.store, Date.now());
  const [usage] = await rowsOf(
    "SELECT sum(posts)::integer AS posts, sum(deliveries)::integer AS deliveries FROM owner_usage WHERE owner_user_id = $1",
    [OWNER],
  );
  expect(usage).toEqual({ posts: posted.length, deliveries: head });
  const [kept] = await rowsOf(
    `SELECT sum(octet_length(e.payload) + coalesce(octet_length(p.payload), 0))::integer AS bytes
    FROM events e LEFT JOIN edited_posts p USING (event_key) JOIN channels c USING (channel_key) WHERE c.owner_user_id = $1`,
    [OWNER],
  );
  expect(await two.store.readKeptBytes(OWNER)).toBe(kept.bytes);
});
