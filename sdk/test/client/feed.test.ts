import { setTimeout as sleep } from "node:timers/promises";
import { type FeedItem, PlatformClient, verifyFeedPage, verifyWebhook } from "@botyard/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { startReceiver } from "../../../server/test/support/receiver.js";
import { type KillableService, startKillableService } from "../support/service.js";

/** A call is retried three times, for up to 3.5 s in all. */
const LONGER_THAN_RETRIES_MS = 4_500;
const TOKEN = "a-token-of-the-platform-0123456789";

let service: KillableService;
let platform: PlatformClient;
beforeAll(async () => {
  service = await startKillableService({ PLATFORM_TOKEN: TOKEN, PLATFORM_FEED: "true" });
  platform = new PlatformClient(TOKEN, { url: service.url });
});
afterAll(() => service.stop());

/** The bodies of the next posts. */
async function bodies(items: AsyncIterable<FeedItem>, count: number): Promise<string[]> {
  const found: string[] = [];
  for await (const item of items) {
    if (item.event_type === "channel.post_created") found.push(item.payload.body);
    if (found.length === count) break;
  }
  return found;
}

describe("the feed", () => {
  it("goes on with a consumer where the loop before ended, and waits for what comes", async () => {
    const alice = platform.as("alice");
    const room = await alice.putExternalChannel("room-42", { title: "Kitchen" });
    for (const body of ["one", "two", "three"]) await alice.createChannelPost(room.id, { body });
    expect(await bodies(platform.feed({ consumer: "main" }), 2)).toEqual(["one", "two"]);
    const { items: consumers } = await platform.listFeedConsumers();
    expect(consumers).toMatchObject([{ name: "main", lag: 2 }]);
    const rest = bodies(platform.feed({ consumer: "main" }), 3);
    await alice.createChannelPost(room.id, { body: "four" });
    expect(await rest).toEqual(["two", "three", "four"]);
    const { cursor } = await platform.readFeed({ limit: 1 });
    expect(await platform.moveFeedConsumer("main", { cursor, rewind: true })).toMatchObject({ name: "main" });
    expect(await bodies(platform.feed({ consumer: "main" }), 1)).toEqual(["one"]);
    expect(await platform.deleteFeedConsumer("main")).toEqual({ status: "deleted" });
  });

  it("keeps the position after each page, as long as `limit` says", async () => {
    const lags: (number | undefined)[] = [];
    for await (const _ of platform.feed({ consumer: "single", limit: 1 })) {
      const { items } = await platform.listFeedConsumers();
      lags.push(items.find(({ name }) => name === "single")?.lag);
      if (lags.length === 3) break;
    }
    expect(lags).toEqual([5, 4, 3]);
    await platform.deleteFeedConsumer("single");
  });

  it("is read by a filter, whose consumer moves behind what was left out", async () => {
    const bob = platform.as("bob");
    const room = await bob.putExternalChannel("room-43", { title: "Garden" });
    const author = { id: "user-7", username: "Zoë" };
    for (const body of ["five", "six"]) await bob.createChannelPost(room.id, { body, author });
    expect(await bodies(platform.feed({ owner: "bob", authorType: "user" }), 2)).toEqual(["five", "six"]);
    const stop = new AbortController();
    const nothing = bodies(platform.feed({ consumer: "bots", authorType: "bot", signal: stop.signal }), 1);
    // The first poll waits until something comes, and then for its time-out: only what it read past is told.
    await eventually("it waits", async () => (await platform.listFeedConsumers()).items.length > 0);
    stop.abort();
    expect(await nothing).toEqual([]);
    await platform.deleteFeedConsumer("bots");
  });

  it("is sent to a webhook, whose requests are verified", async () => {
    const receiver = await startReceiver();
    const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    const shown = await platform.putFeedWebhook({ url: receiver.url, secret_token: secret, max_batch: 2 });
    expect(shown).toMatchObject({ has_secret_token: true, max_batch: 2 });
    await eventually("two requests", () => receiver.requests.length >= 2);
    const [request] = receiver.requests;
    const { headers = {}, body: rawBody = "" } = request ?? {};
    const page = await verifyFeedPage({ secret, headers, rawBody });
    expect(page.items).toEqual((await platform.readFeed({ limit: 2 })).items);
    expect(page.oldestKept).toBeUndefined();
    const torn = { ...headers, "botyard-log-tail": page.cursor };
    expect((await verifyFeedPage({ secret, headers: torn, rawBody })).oldestKept).toBe(page.cursor);
    await expect(verifyFeedPage({ secret, headers, rawBody: `${rawBody} ` })).rejects.toThrow(/signature/);
    await expect(verifyWebhook({ secret, headers, rawBody })).rejects.toThrow(/update/);
    expect(await platform.deleteFeedWebhook()).toEqual({ status: "deleted" });
    expect(await platform.getFeedWebhook()).toMatchObject({ url: "", pending_item_count: 0 });
    await receiver.close();
  });

  it("tells kinds apart by their types", async () => {
    const { items } = await platform.readFeed({ limit: 1 });
    const [first] = items;
    if (first?.event_type !== "channel.created") throw new Error("the channel was not told of");
    expect(first.payload.external_id).toBe("room-42");
    expect(first.owner_user_id).toBe("alice");
  });

  it("ends without an error when it is aborted, and survives a restart of the service", async () => {
    const controller = new AbortController();
    const failures: number[] = [];
    const { cursor } = await platform.readFeed();
    const seen: string[] = [];
    const loop = (async () => {
      const options = {
        after: cursor,
        signal: controller.signal,
        onFailure: ({ failures: count }: { failures: number }) => failures.push(count),
      };
      for await (const item of platform.feed(options)) {
        if (item.event_type === "channel.post_created") seen.push(item.payload.body);
        if (seen.length === 2) controller.abort();
      }
    })();
    const alice = platform.as("alice");
    const room = await alice.getExternalChannel("room-42");
    await alice.createChannelPost(room.id, { body: "before the restart" });
    await eventually("the loop is under way", () => seen.length === 1);
    await service.kill();
    await service.restart();
    await alice.createChannelPost(room.id, { body: "after the restart" });
    await loop;
    expect(seen).toEqual(["before the restart", "after the restart"]);
    expect(failures.length).toBeGreaterThan(0);
  });

  it("keeps the position of a loop also when the service is down for longer than a call is retried", async () => {
    const { cursor } = await platform.readFeed();
    await platform.moveFeedConsumer("patient", { cursor });
    const alice = platform.as("alice");
    const room = await alice.getExternalChannel("room-42");
    await alice.createChannelPost(room.id, { body: "last of its page" });
    let restarted: Promise<void> | undefined;
    const seen: string[] = [];
    for await (const item of platform.feed({ consumer: "patient" })) {
      if (item.event_type !== "channel.post_created") continue;
      seen.push(item.payload.body);
      if (seen.length === 2) break;
      await service.kill();
      restarted = sleep(LONGER_THAN_RETRIES_MS).then(async () => {
        await service.restart();
        await alice.createChannelPost(room.id, { body: "after the outage" });
      });
    }
    await restarted;
    expect(seen).toEqual(["last of its page", "after the outage"]);
    await platform.deleteFeedConsumer("patient");
  });

  it("says why it cannot be read", async () => {
    const other = new PlatformClient(`${TOKEN}x`, { url: service.url, retries: 0 });
    await expect(other.readFeed()).rejects.toMatchObject({ status: 401, code: "token_invalid" });
    await expect(platform.readFeed({ after: "x" })).rejects.toMatchObject({ code: "invalid_cursor" });
  });
});
