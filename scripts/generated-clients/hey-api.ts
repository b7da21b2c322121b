import assert from "node:assert/strict";
import { createClient } from "./hey/client/index.js";
import {
  attachBot,
  createBot,
  createBotPost,
  createChannel,
  emitChannelEvent,
  getChannel,
  listBotUpdates,
  pollUpdates,
  putWebhook,
  readTimeline,
} from "./hey/sdk.gen.js";

const { BOTYARD_URL: baseUrl = "", OWNER_TOKEN: ownerToken = "", NAME: name = "" } = process.env;
// Also asked for the value of Botyard-Owner, which only the platform sends.
const clientOf = (token: string) =>
  createClient({ baseUrl, auth: ({ scheme }) => (scheme === "bearer" ? token : undefined) });

const owner = clientOf(ownerToken);

const created = await createBot({ client: owner, body: { username: name } });
const { bot: account, token } = created.data ?? assert.fail();
const channel = await createChannel({ client: owner, body: { slug: name, title: "Generated" } });
const { id } = channel.data ?? assert.fail();
const attached = await attachBot({ client: owner, path: { id: account.id, channelId: id } });
assert.equal(attached.data?.role, "moderator");

const bot = clientOf(token.token);
const post = await createBotPost({ client: bot, path: { id }, body: { body: "Hello" } });
assert.equal(post.data?.body, "Hello");
const event = { event_type: "ticket.opened", payload: { ticket: 42 } };
const emitted = await emitChannelEvent({ client: owner, path: { id }, body: event });
assert.equal(emitted.data?.event_type, "ticket.opened");
const polled = await pollUpdates({ client: bot, query: { offset: 0, timeout: 5 } });
const [first, second] = polled.data?.items ?? [];
assert.equal(first?.event_type === "channel.post_created" && first.payload.body, "Hello");
assert.deepEqual(second?.payload, { ticket: 42 });

const path = { id: account.id };
const webhook = { url: "http://127.0.0.1:9/", deliver_from: "3" };
const put = await putWebhook({ client: owner, path, body: webhook });
assert.equal(put.data?.pending_update_count, 0);
const history = await listBotUpdates({ client: owner, path, query: { state: "skipped" } });
assert.equal(history.data?.items.length, 2);
const timeline = await readTimeline({ client: owner, path, query: { range: "24h" } });
assert.equal(timeline.data?.range, "24h");
const refused = await getChannel({ client: owner, path: { id: "nothing" } });
assert.match(refused.error?.error ?? "", /not found/);
assert.equal(refused.response.headers.get("botyard-error"), "channel_not_found");
console.log("10 calls");
