import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_BATCH_BODY_BYTES, MAX_BATCH_BYTES_PER_CALLER } from "#botyard/domain/limits.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";

const POSTS = "/v1/posts/batch";
/** What is held up, by its cost: parsing one of these batches, or a step of a hundred posts. Any other request of these tests costs less. */
const HELD_UP = [
  ["parsing is", (costUs: number) => costUs >= 10_000],
  ["steps are", (costUs: number) => costUs >= 2_000 && costUs < 10_000],
] as const;

/** Begins a batch of unknown length, which may be as large as one may be. */
const beginBatch = ({ port }: RunningApi, { ownerToken }: World, onStatus: (status?: number) => void) => {
  const headers = { authorization: `Bearer ${ownerToken}`, "content-type": "application/json" };
  const started = request({ port, host: "127.0.0.1", path: POSTS, method: "POST", headers });
  started
    .on("error", () => {})
    .on("response", ({ statusCode }) => onStatus(statusCode))
    .write("{");
  return started;
};

describe("the memory that batches take", () => {
  let api: RunningApi;
  let world: World;
  let other: World;
  beforeAll(async () => {
    api = await startApi();
    [world, other] = [await makeWorld(api), await makeWorld(api)];
  });
  afterAll(() => api.close());

  /** Sends a batch of one post to the caller's own channel. */
  const send = ({ ownerToken: token, channelId }: World) =>
    ask(api, "POST", POSTS, { token, body: { posts: [{ channel_id: channelId, body: "x" }] } });

  it("is bounded for each caller, and leaves some to others", async () => {
    const refused: (number | undefined)[] = [];
    const begin = () => beginBatch(api, world, (status) => refused.push(status));
    const fitting = Array.from({ length: MAX_BATCH_BYTES_PER_CALLER / MAX_BATCH_BODY_BYTES + 1 }, begin);
    await eventually("a batch more is refused", () => refused.length > 0);
    expect(refused).toEqual([429]);
    const { status, body, headers } = await send(world);
    expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
    expect(headers.get("botyard-error")).toBe("too_many_batches");
    expect(body.error).toContain("try again");
    expect((await send(other)).status).toBe(200);
    for (const one of fitting) one.destroy();
    await eventually("those that hung up hold nothing", async () => (await send(world)).status === 200);
  });
});

describe.each(HELD_UP)("batches whose %s held up", (_what, isHeldUp) => {
  let begun = 0;
  let proceed = (): void => {};
  const held = new Promise<void>((resolve) => (proceed = resolve));
  let slow: RunningApi;
  let own: World;
  beforeAll(async () => {
    slow = await startApi({
      turnsOf: (turns) => ({
        ...turns,
        async begin(owner, caller, costUs) {
          if (isHeldUp(costUs)) {
            begun += 1;
            await held;
          }
          return await turns.begin(owner, caller, costUs);
        },
      }),
    });
    own = await makeWorld(slow);
  });
  afterAll(() => slow.close());

  it("keep their memory when their clients hang up, until they end", async () => {
    const body = JSON.stringify({
      posts: Array.from({ length: 900 }, () => ({ channel_id: own.channelId, body: "x".repeat(4_000) })),
    });
    const count = Math.floor(MAX_BATCH_BYTES_PER_CALLER / Buffer.byteLength(body));
    const large = Array.from({ length: count }, () => {
      const started = beginBatch(slow, own, () => {});
      started.end(body.slice(1));
      return started;
    });
    await eventually("all are worked on", () => begun === count);
    for (const one of large) one.destroy();
    await ask(slow, "GET", "/v1/channels", { token: own.ownerToken });
    const statuses: (number | undefined)[] = [];
    const more = Array.from({ length: 5 }, () => beginBatch(slow, own, (status) => statuses.push(status)));
    await eventually("all are refused", () => statuses.length === more.length);
    expect(statuses).toEqual(more.map(() => 429));
    proceed();
    await eventually("they give it back", async () => {
      const posts = [{ channel_id: own.channelId, body: "x" }];
      return (await ask(slow, "POST", POSTS, { token: own.ownerToken, body: { posts } })).status === 200;
    });
  });

  it("are logged when an item fails by the service's fault", async () => {
    slow.store.appendPosts = () => Promise.reject(new StoreUnavailable("the disk is full"));
    const posts = [{ body: "for no channel" }, { channel_id: own.channelId, body: "x" }];
    const { status, body } = await ask(slow, "POST", POSTS, { token: own.ownerToken, body: { posts } });
    expect([status, ...body.items.map((item: { status: number }) => item.status)]).toEqual([200, 400, 503]);
    const logged = () => slow.logLines.find(({ event }) => event === "request_failed");
    await eventually("the failure is logged", () => logged() !== undefined);
    expect(logged()).toMatchObject({ path: POSTS, status: 200, err: { type: "StoreUnavailable" } });
  });
});
