import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it("leaves no text of a deleted channel in the logs, and marks what had any", async () => {
  const { ownerToken, botToken, botId, channelId, owner } = await makeWorld(api);
  const asOwner = (method: string, path: string, body?: unknown) =>
    ask(api, method, path, { token: ownerToken, ...(body === undefined ? {} : { body }) });
  const channel = `/v1/channels/${channelId}`;
  await asOwner("PUT", `/v1/bot-api/bots/${botId}/subscription`, { event_types: ["*"] });
  await asOwner("DELETE", `/v1/bot-api/bots/${botId}/channels/${channelId}`);
  await asOwner("PATCH", channel, { title: "Secret from the beginning" });
  await asOwner("POST", `/v1/bot-api/bots/${botId}/channels/${channelId}`);
  const { body: kept } = await asOwner("POST", `${channel}/posts`, {
    body: "secret",
    media: [{ text: "secret" }],
  });
  await asOwner("PATCH", `${channel}/posts/${kept.id}`, { body: "secret again" });
  const { body: gone } = await asOwner("POST", `${channel}/posts`, { body: "secret" });
  await asOwner("DELETE", `${channel}/posts/${gone.id}`);
  await asOwner("PATCH", channel, { title: "Secret", description: "secret" });
  await asOwner("POST", `${channel}/events`, { event_type: "ticket.opened", payload: { text: "secret" } });
  expect((await asOwner("DELETE", channel)).status).toBe(200);

  const polled = await ask(api, "GET", "/v1/bot-api/updates", { token: botToken });
  expectContract("pollUpdates", polled);
  const { items } = polled.body;
  expect(JSON.stringify(items)).not.toMatch(/secret/i);
  const payloads = items.map(({ event_type, payload }: Record<string, unknown>) => [event_type, payload]);
  const post = { channel_id: channelId, post_id: kept.id };
  const bare = {
    channel_id: channelId,
    channel: { id: channelId, slug: "", title: "" },
    by: "",
    deleted: true,
  };
  expect(payloads).toMatchObject([
    ["bot.detached", bare],
    ["bot.attached", bare],
    ["channel.post_created", { ...post, body: "", author_username: "", deleted: true }],
    ["channel.post_edited", { ...post, body: "", deleted: true }],
    ["channel.post_created", { post_id: gone.id, body: "", deleted: true }],
    ["channel.post_deleted", {}],
    [
      "channel.updated",
      { channel: { id: channelId, slug: "", title: "", description: "" }, by: "", deleted: true },
    ],
    ["ticket.opened", {}],
    ["bot.detached", { ...bare, by: owner }],
  ]);
  expect(items[5].payload).toEqual({ channel_id: channelId, post_id: gone.id });
  expect(items[7].payload).toEqual({ deleted: true });
});
