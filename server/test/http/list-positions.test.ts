import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";

let api: RunningApi;
let world: World;
let postId: string;
beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
  postId = (await asOwner("POST", `/v1/channels/${world.channelId}/posts`, { body: "a post" })).body.id;
});
afterAll(() => api.close());

const asOwner = (method: string, path: string, body?: object) =>
  ask(api, method, path, { token: world.ownerToken, ...(body && { body }) });

async function makeBot(name: string): Promise<string> {
  const { body } = await asOwner("POST", "/v1/bot-api/bots", { username: `${name}-${world.username}` });
  await asOwner("POST", `/v1/bot-api/bots/${body.bot.id}/channels/${world.channelId}`);
  return body.bot.id;
}

async function makeChannel(name: string): Promise<string> {
  const slug = `${name}-${world.channelId.slice(-12)}`;
  return (await asOwner("POST", "/v1/channels", { slug, title: name })).body.id;
}

const bots = { make: makeBot, pathOf: (id: string) => `/v1/bot-api/bots/${id}` };
const channels = { make: makeChannel, pathOf: (id: string) => `/v1/channels/${id}` };
const lists = [
  { what: "channels", list: () => "/v1/channels", of: channels },
  { what: "bots", list: () => "/v1/bot-api/bots", of: bots },
  { what: "the overview", list: () => "/v1/bot-api/overview", of: bots },
  { what: "the bots of a channel", list: () => `/v1/channels/${world.channelId}/bots`, of: bots },
  {
    what: "what became of a post",
    list: () => `/v1/channels/${world.channelId}/posts/${postId}/updates`,
    of: bots,
  },
];

it.each(lists)("paging through $what goes on after what was deleted since", async ({ what, list, of }) => {
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) made.push(await of.make(`${what.replaceAll(" ", "-")}-${n}`));
  const page = async (after: string) => {
    const { status, body } = await asOwner("GET", `${list()}?limit=2&after=${after}`);
    const items = (body.items ?? []) as { id?: string; bot?: { id: string }; bot_id?: string }[];
    return [status, ...items.map(({ id, bot, bot_id }) => id ?? bot?.id ?? bot_id)];
  };
  const [a, b, c, d, e] = made as [string, string, string, string, string];
  for (const id of [b, c]) expect((await asOwner("DELETE", of.pathOf(id))).status).toBe(200);
  expect(await page(b)).toEqual([200, d, e]);
  expect(await page(c)).toEqual([200, d, e]);
  expect(await page(a)).toEqual([200, d, e]);
  expect((await asOwner("DELETE", of.pathOf(e))).status).toBe(200);
  expect(await page(e)).toEqual([200]);
  expect(await page(newId())).toEqual([200]);

  // Whether the id of another owner's exists is nothing that an answer tells.
  const other = await makeWorld(api);
  const foreign = of === bots ? other.botId : other.channelId;
  expect(await page(foreign)).toEqual([200]);
  for (const id of ["nonsense", "", crypto.randomUUID()])
    expect([id, ...(await page(id))]).toEqual([id, 400]);
});

it("paging through the bots of a channel goes on after another owner's bot that has left", async () => {
  const maker = await makeWorld(api);
  const asMaker = (method: string, path: string, body?: object) =>
    ask(api, method, path, { token: maker.ownerToken, ...(body && { body }) });
  const made = await asMaker("POST", "/v1/bot-api/bots", { username: `guest-${maker.username}` });
  const guest = made.body.bot.id;
  await asMaker("PATCH", `/v1/bot-api/bots/${guest}`, { visibility: "listed" });
  const attachment = `/v1/bot-api/bots/${guest}/channels/${world.channelId}`;
  expect((await asOwner("POST", attachment)).status).toBe(200);
  const next = await makeBot("next");
  expect((await asMaker("DELETE", attachment)).status).toBe(200);
  const { status, body } = await asOwner("GET", `/v1/channels/${world.channelId}/bots?after=${guest}`);
  expect([status, body.items.map(({ bot }: { bot: { id: string } }) => bot.id)]).toEqual([200, [next]]);
});
