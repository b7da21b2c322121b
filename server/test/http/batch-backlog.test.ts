import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";

/** A step that costs more is held up. */
const LARGE_US = 1_000_000;
/** One event in a channel with so many bots takes 3.6 s. */
const BOTS = 300_000;

let api: RunningApi;
let world: World;
let stranger: World;
let begun = 0;
/** Whose turns were asked for, and what owners were charged. */
const asked: string[] = [];
const charged = new Map<string, number>();
/** Whose turns do not begin for now. */
let parsing: { owner: string; until: Promise<void> } | undefined;
let held: Promise<void>;
let proceed = (): void => {};

beforeAll(async () => {
  api = await startApi({
    turnsOf: (turns) => ({
      ...turns,
      async begin(owner, caller, costUs) {
        asked.push(owner);
        if (owner === parsing?.owner) await parsing.until;
        if (costUs < LARGE_US) return await turns.begin(owner, caller, costUs);
        begun += 1;
        await held;
        return { end() {} };
      },
      charge(owner, costUs) {
        charged.set(owner, (charged.get(owner) ?? 0) + costUs);
        turns.charge(owner, costUs);
      },
    }),
  });
  [world, stranger] = [await makeWorld(api), await makeWorld(api)];
  const { countListeners } = api.store;
  api.store.countListeners = async (channelIds) => {
    const counts = await countListeners(channelIds);
    if (counts.has(world.channelId)) counts.set(world.channelId, { posts: BOTS, all: BOTS });
    return counts;
  };
});
afterAll(() => api.close());

const hold = () => {
  begun = 0;
  held = new Promise((resolve) => (proceed = resolve));
};
const send = ({ ownerToken: token, channelId }: World, events = 1): Promise<Answer> =>
  ask(api, "POST", "/v1/events/batch", {
    token,
    body: {
      events: Array.from({ length: events }, () => ({
        channel_id: channelId,
        event_type: "ticket.opened",
        payload: {},
      })),
    },
  });

describe("batches that take their owner longer than they may wait", () => {
  it("are refused at once, and accepted when the others are done", async () => {
    hold();
    const first = send(world);
    await eventually("it is worked on", () => begun === 1);
    const refused = await send(world);
    expectFailure("emitEvents", refused, 429, /^your batches in progress take about 4 s already/);
    expect(refused.headers.get("retry-after")).toBe("3");
    expect(refused.headers.get("botyard-error")).toBe("too_many_batches");
    expect((await send(stranger)).body.items).toMatchObject([{ status: 201 }]);
    const channels = await ask(api, "GET", "/v1/channels", { token: world.ownerToken });
    expect(channels.status).toBe(200);
    proceed();
    expect((await first).body.items).toMatchObject([{ status: 201 }]);
    expect((await send(world)).body.items).toMatchObject([{ status: 201 }]);
  });

  it("are accepted while there is no other, and make room as they are done", async () => {
    hold();
    const large = send(world, 2);
    await eventually("it is worked on", () => begun === 1);
    expect((await send(world)).headers.get("retry-after")).toBe("6");
    proceed();
    expect((await large).body.items).toMatchObject([{ status: 201 }, { status: 201 }]);
  });

  it("give back what they do not do", async () => {
    hold();
    const failing = send(world, 2);
    await eventually("it is worked on", () => begun === 1);
    const { appendEvent } = api.store;
    api.store.appendEvent = () => Promise.reject(new Error("a fault"));
    proceed();
    await failing;
    api.store.appendEvent = appendEvent;
    expect((await send(world)).body.items).toMatchObject([{ status: 201 }]);
  });
});

describe("the body of a batch", () => {
  it("is parsed in its owner's turn, and counts by its items, also those that are refused", async () => {
    const { owner } = stranger;
    let begin = (): void => {};
    parsing = { owner, until: new Promise((resolve) => (begin = resolve)) };
    asked.length = 0;
    let isAnswered = false;
    const body = { events: Array.from({ length: 100 }, () => "no event") };
    const answer = ask(api, "POST", "/v1/events/batch", { token: stranger.ownerToken, body }).then((one) => {
      isAnswered = true;
      return one;
    });
    await eventually("it waits", () => asked.includes(owner));
    expect((await send(world)).status).toBe(200);
    expect(isAnswered).toBe(false);
    const before = charged.get(owner) ?? 0;
    begin();
    parsing = undefined;
    expect((await answer).body.items).toHaveLength(100);
    expect((charged.get(owner) ?? 0) - before).toBeGreaterThanOrEqual(300);
  });
});
