import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";

const { BOTYARD_URL: baseUrl = "", OWNER_TOKEN: ownerToken, NAME: name = "" } = process.env;
const clientOf = (token?: string) =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

const owner = clientOf(ownerToken);
const created = await owner.POST("/v1/bot-api/bots", { body: { username: name } });
const { bot: account, token } = created.data ?? assert.fail();
const channel = await owner.POST("/v1/channels", { body: { slug: name, title: "Generated" } });
const id = channel.data?.id ?? assert.fail();
const attached = await owner.POST("/v1/bot-api/bots/{id}/channels/{channelId}", {
  params: { path: { id: account.id, channelId: id } },
});
assert.equal(attached.data?.role, "moderator");

const bot = clientOf(token.token);
const post = await bot.POST("/v1/bot-api/channels/{id}/posts", {
  params: { path: { id }, header: { "Idempotency-Key": "one" } },
  body: { body: "Hello" },
});
assert.equal(post.data?.body, "Hello");
const emitted = await owner.POST("/v1/channels/{id}/events", {
  params: { path: { id } },
  body: { event_type: "ticket.opened", payload: { ticket: 42 } },
});
assert.equal(emitted.data?.event_type, "ticket.opened");
const polled = await bot.GET("/v1/bot-api/updates", { params: { query: { offset: 0, timeout: 5 } } });
const [first, second] = polled.data?.items ?? [];
assert.equal(first?.event_type === "channel.post_created" && first.payload.body, "Hello");
assert.deepEqual(second?.payload, { ticket: 42 });

const webhook = await owner.PUT("/v1/bot-api/bots/{id}/webhook", {
  params: { path: { id: account.id } },
  body: { url: "http://127.0.0.1:9/", deliver_from: "3" },
});
assert.equal(webhook.data?.pending_update_count, 0);
const history = await owner.GET("/v1/bot-api/bots/{id}/updates", {
  params: { path: { id: account.id }, query: { state: "skipped" } },
});
assert.equal(history.data?.items.length, 2);
const timeline = await owner.GET("/v1/bot-api/bots/{id}/timeline", {
  params: { path: { id: account.id }, query: { range: "24h" } },
});
assert.equal(timeline.data?.range, "24h");
const refused = await owner.GET("/v1/channels/{id}", { params: { path: { id: "nothing" } } });
assert.match(refused.error?.error ?? "", /not found/);
assert.equal(refused.response.headers.get("botyard-error"), "channel_not_found");
console.log("10 calls");
