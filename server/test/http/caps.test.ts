import { afterEach, describe, expect, it } from "vitest";
import { type ApiChanges, type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";

let api: RunningApi;
afterEach(() => api.close());

async function start(changes: ApiChanges): Promise<void> {
  api = await startApi(changes);
}

describe("a cap is enforced with a clear message", () => {
  const caps = {
    botsPerOwner: 2,
    channelsPerOwner: 2,
    attaching: { perHolder: 1 },
    botLoopPosts: 0,
    connections: 1000,
  };

  it("of bots", async () => {
    await start({ caps });
    const { ownerToken: token } = await makeWorld(api);
    const create = (username: string) => ask(api, "POST", "/v1/bot-api/bots", { token, body: { username } });
    expect((await create("second")).status).toBe(201);
    expectFailure(
      "createBot",
      await create("third"),
      400,
      "one owner may have 2 bots, and you have no fewer",
    );
    expectFailure("createBot", await create("third"), 400, "delete one first");
  });

  it("of channels of an owner, by either way to create one, and without an effect on others", async () => {
    await start({ caps });
    const [mine, other] = [await makeWorld(api), await makeWorld(api)];
    const create = (token: string, slug: string) =>
      ask(api, "POST", "/v1/channels", { token, body: { slug, title: "x" } });
    const put = (token: string, id: string) =>
      ask(api, "PUT", `/v1/channels/external/${id}`, { token, body: { title: "x" } });
    const direct = async ({ ownerToken: token, botId, channelId }: World) => {
      await ask(api, "DELETE", `/v1/bot-api/bots/${botId}/channels/${channelId}`, { token });
      return ask(api, "PUT", `/v1/channels/direct/${botId}`, { token });
    };
    expect((await put(mine.ownerToken, "room")).status).toBe(201);
    const message = "one owner may have 2 channels, and you have no fewer: delete one first";
    for (const [operation, refused] of [
      ["createChannel", await create(mine.ownerToken, "third")],
      ["putExternalChannel", await put(mine.ownerToken, "another")],
      ["putDirectChannel", await direct(mine)],
    ] as const) {
      expectFailure(operation, refused, 400, message);
      expect(refused.headers.get("botyard-error")).toBe("too_many_channels");
    }
    expect((await put(mine.ownerToken, "room")).status).toBe(200);
    const twins = await Promise.all([create(other.ownerToken, "one"), put(other.ownerToken, "two")]);
    expect(twins.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400]);
    await ask(api, "DELETE", `/v1/channels/${mine.channelId}`, { token: mine.ownerToken });
    expect((await create(mine.ownerToken, "third")).status).toBe(201);
  });

  it("of channels of a bot", async () => {
    await start({ caps });
    const { ownerToken: token, botId, channelId } = await makeWorld(api);
    const made = await ask(api, "POST", "/v1/channels", { token, body: { slug: "second", title: "x" } });
    const attach = (channel: string) =>
      ask(api, "POST", `/v1/bot-api/bots/${botId}/channels/${channel}`, { token });
    const message =
      "the bot is attached to 1 of your channels, the most that one bot may be: detach it from one first";
    expectFailure("attachBot", await attach(made.body.id), 400, message);
    await ask(api, "DELETE", `/v1/channels/${made.body.id}`, { token });
    const refused = await ask(api, "PUT", `/v1/channels/direct/${botId}`, { token });
    expectFailure("putDirectChannel", refused, 400, message);
    expect(refused.headers.get("botyard-error")).toBe("too_many_channels");
    expect((await ask(api, "GET", "/v1/channels", { token })).body.items).toHaveLength(1);
    expect((await attach(channelId)).status).toBe(200);
  });

  it("of waiting polls, without an effect on other bots", async () => {
    await start({ maxPollsPerBot: 3 });
    const [mine, other] = [await makeWorld(api), await makeWorld(api)];
    const poll = (token: string, query = "timeout=30") =>
      ask(api, "GET", `/v1/bot-api/updates?${query}`, { token });
    const waiting = [1, 2, 3].map(() => poll(mine.botToken));
    await eventually("three polls wait", () => api.polls.waiting === 3);
    const refused = await poll(mine.botToken);
    expectFailure("pollUpdates", refused, 429, "3 polls of this bot wait already");
    expect(refused.headers.get("retry-after")).toBe("1");
    // Only waiting polls are limited: existing updates can be read.
    expectContract("pollUpdates", await poll(mine.botToken, ""));
    const theirs = poll(other.botToken);
    await eventually("the other bot's poll waits", () => api.polls.waiting === 4);
    await post(api, mine, "wakes all of them");
    await post(api, other, "and this one");
    for (const answer of await Promise.all([...waiting, theirs])) expect(answer.body.items).toHaveLength(1);
    expect((await poll(mine.botToken)).body.items).toHaveLength(1);
    expect(api.polls.waiting).toBe(0);
  });

  it("of channels of a bot in a bulk call says what was done of the channel", async () => {
    await start({ caps });
    const { ownerToken: token, botId } = await makeWorld(api);
    const body = { channels: [{ external_id: "full", title: "Full", bots: [{ id: botId }] }] };
    const put = async () => (await ask(api, "PUT", "/v1/channels/external", { token, body })).body.items[0];
    const refused = await put();
    expect(refused.status).toBe(400);
    const { id } = (await ask(api, "GET", "/v1/channels/external/full", { token })).body;
    expect(refused.error).toContain(`the channel ${id} was made`);
    expect((await put()).error).toContain(`the channel ${id} is as the item says`);
  });

  it("of waiting polls, also when they come at once and disconnect", async () => {
    await start({ maxPollsPerBot: 5 });
    const { botToken: token } = await makeWorld(api);
    for (let round = 0; round < 3; round++) {
      const hangUp = new AbortController();
      const path = "/v1/bot-api/updates?timeout=30";
      const asked = Array.from({ length: 20 }, () =>
        ask(api, "GET", path, { token, signal: hangUp.signal }).then(
          ({ status }) => status,
          () => 0,
        ),
      );
      await eventually("five polls wait", () => api.polls.waiting === 5);
      const refused = await Promise.race([Promise.all(asked), eventuallyRefused(asked, 15)]);
      hangUp.abort();
      expect(refused).toBe(15);
      expect((await Promise.all(asked)).filter((status) => status === 429)).toHaveLength(15);
      await eventually("nobody waits", () => api.polls.waiting === 0);
    }
  });
});

/** Resolves once so many of the requests were refused, to their number then. */
async function eventuallyRefused(asked: Promise<number>[], count: number): Promise<number> {
  let refused = 0;
  for (const status of asked) void status.then((code) => (refused += code === 429 ? 1 : 0));
  await eventually(`${count} polls are refused`, () => refused >= count);
  return refused;
}
