import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";
import { eventually } from "../support/eventually.js";

/** Two full pages and a bit, so that the list ends within a page. */
const BOTS = 230;
const LARGE = { text: "m".repeat(4_000) };

let api: RunningApi;
let world: World;
let ids: string[];
beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
  const token = world.ownerToken;
  ids = [world.botId];
  for (let n = 1; n < BOTS; n++) {
    const body = { username: `bot-${n}-of-${world.botId.slice(-12)}`, metadata: LARGE };
    const made = await ask(api, "POST", "/v1/bot-api/bots", { token, body });
    ids.push((made.body as { bot: { id: string } }).bot.id);
  }
});
afterAll(() => api.close());

const idsOf = (body: unknown) => (body as { items: { id: string }[] }).items.map(({ id }) => id);

describe("a list that is longer than a page", () => {
  it("has all bots of the owner, in their order", async () => {
    const list = await ask(api, "GET", "/v1/bot-api/bots", { token: world.ownerToken });
    expectContract("listBots", list);
    expect(list.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(idsOf(list.body)).toEqual(ids);
  });

  it("has those after a bot, and those of a search", async () => {
    const token = world.ownerToken;
    const after = await ask(api, "GET", `/v1/bot-api/bots?after=${ids[99]}`, { token });
    expect(idsOf(after.body)).toEqual(ids.slice(100));
    const found = await ask(api, "GET", "/v1/bot-api/bots?search=BOT-1", { token });
    const named = ids.filter((_, n) => String(n).startsWith("1"));
    expect(idsOf(found.body).filter((id) => id !== world.botId)).toEqual(named);
  });

  it("has the state of all bots, also compressed", async () => {
    for (const encoding of ["gzip", "identity"]) {
      const headers = { "accept-encoding": encoding };
      const list = await ask(api, "GET", "/v1/bot-api/overview", { token: world.ownerToken, headers });
      expectContract("overview", list);
      const items = (list.body as { items: { bot: { id: string } }[] }).items;
      expect(items.map(({ bot }) => bot.id)).toEqual(ids);
    }
  });

  it("has all channels of a bot, for its owner and for itself", async () => {
    const token = world.ownerToken;
    const channels = [world.channelId];
    for (let n = 0; n < 25; n++) {
      const made = await ask(api, "POST", "/v1/channels", {
        token,
        body: { slug: `long-${n}-${world.channelId.slice(-12)}`, title: "A channel" },
      });
      const { id } = made.body as { id: string };
      await ask(api, "POST", `/v1/bot-api/bots/${world.botId}/channels/${id}`, { token });
      channels.push(id);
    }
    const ofBot = await ask(api, "GET", `/v1/bot-api/bots/${world.botId}/channels`, { token });
    expectContract("listBotChannels", ofBot);
    expect(idsOf(ofBot.body)).toEqual(channels);
    const own = await ask(api, "GET", "/v1/bot-api/channels", { token: world.botToken });
    expectContract("listMyChannels", own);
    expect(idsOf(own.body)).toEqual(channels);
  });

  it("goes on where it was when bots are deleted while it is read", async () => {
    const other = await makeWorld(api);
    const token = other.ownerToken;
    const made: string[] = [other.botId];
    for (let n = 1; n < 60; n++) {
      const body = { username: `gone-${n}-${other.botId.slice(-12)}`, metadata: LARGE };
      const answer = await ask(api, "POST", "/v1/bot-api/bots", { token, body });
      made.push((answer.body as { bot: { id: string } }).bot.id);
    }
    const reading = await fetch(`${api.url}/v1/bot-api/bots`, {
      headers: { authorization: `Bearer ${token}` },
    });
    for (const id of made.slice(0, 40)) await ask(api, "DELETE", `/v1/bot-api/bots/${id}`, { token });
    const listed = idsOf(await reading.json());
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((id) => made.indexOf(id) >= 40)).toEqual(made.slice(40));
  });

  it("is read from the store only as the client reads it", async () => {
    let reads = 0;
    const { listBots } = api.store;
    api.store.listBots = (...parameters) => {
      reads += 1;
      return listBots(...parameters);
    };
    // Together more than the kernel holds for a connection.
    const lists = 16;
    const socket = connect(api.port, "127.0.0.1").pause();
    socket.write(
      `GET /v1/bot-api/bots HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.ownerToken}\r\n\r\n`.repeat(
        lists,
      ),
    );
    await eventually("the first list is begun", () => reads > 0);
    // These are answered later than anything that could be read for the other connection meanwhile.
    for (let n = 0; n < 50; n++) await ask(api, "GET", "/v1/channels", { token: world.ownerToken });
    const all = lists * Math.ceil((BOTS * 4_400) / (64 * 1024));
    expect(reads).toBeLessThan(all);
    socket.resume();
    await eventually("the rest is read", () => reads >= all);
    socket.destroy();
    api.store.listBots = listBots;
  });
});
