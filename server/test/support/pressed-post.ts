import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { RunningApi } from "./api.js";
import { type Answer, ask, makeWorld, type World } from "./api-client.js";
import { PLATFORM_TOKEN, startApiForAll } from "./every-operation.js";
import { switchFeedOn } from "./feed-world.js";

export const approve = { type: "button", id: "approve:17", label: "Approve", style: "primary", value: "17" };
export const reject = {
  type: "button",
  id: "reject:17",
  label: "Reject",
  style: "danger",
  confirm: "Really?",
};
const when = {
  type: "select",
  id: "when",
  min: 1,
  max: 2,
  options: ["now", "later", "never"].map((value) => ({ label: value, value })),
};
const docs = { type: "button", id: "docs", label: "Read", url: "https://example.com/docs" };
export const user = { id: "user-7", username: "Zoë" };

/** A bot with a command, and its post with components. */
interface PressedPost {
  api: RunningApi;
  world: World;
  postId: string;
}

/**
 * For each test of the file in which this is called: a bot with a command and a post with components, on an API with the feed,
 * with what users, owners and bots ask of it.
 *
 * @param use called with the post before each test
 */
export function onPressedPost(use: (pressed: PressedPost) => void) {
  let api: RunningApi;
  let world: World;
  let postId: string;
  beforeAll(async () => {
    api = await startApiForAll();
    await switchFeedOn(api.store);
  });
  afterAll(() => api.close());

  beforeEach(async () => {
    world = await makeWorld(api);
    const commands = [
      {
        name: "weather",
        description: "Tell the weather",
        options: [
          { name: "city", type: "string", description: "Where", required: true },
          {
            name: "days",
            type: "integer",
            description: "For how long",
            choices: [{ label: "one", value: 1 }],
          },
          { name: "for", type: "user", description: "For whom" },
          { name: "exact", type: "boolean", description: "With decimals" },
          { name: "above", type: "number", description: "From where" },
        ],
      },
    ];
    await asBot("PUT", "/v1/bot-api/commands", { commands });
    const posted = await asBot("POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
      body: "Deploy 17?",
      components: [
        [approve, reject],
        [when, docs],
      ],
    });
    expect(posted.status).toBe(201);
    postId = posted.body.id;
    use({ api, world, postId });
  });

  const asBot = (method: string, path: string, body?: unknown, headers = {}, token = world.botToken) =>
    ask(api, method, path, { token, headers, ...(body !== undefined && { body }) });
  const asOwner = (method: string, path: string, body?: unknown, headers = {}) =>
    ask(api, method, path, { token: world.ownerToken, headers, ...(body !== undefined && { body }) });
  const interact = (body: object, headers = {}) =>
    asOwner("POST", `/v1/channels/${world.channelId}/interactions`, { user, ...body }, headers);
  const press = (component: object, more: object = {}, headers = {}) =>
    interact({ kind: "component", component, post: { id: postId }, ...more }, headers);
  const command = (options: object, more: object = {}) =>
    interact({ kind: "command", bot_id: world.botId, command: { name: "weather", options }, ...more });
  const read = (id: string) => asOwner("GET", `/v1/channels/${world.channelId}/interactions/${id}`);
  const respond = (id: string, body: object, headers = {}, token = world.botToken) =>
    asBot("POST", `/v1/bot-api/interactions/${id}/responses`, body, headers, token);
  const updatesOf = async (token = world.botToken) =>
    (await ask(api, "GET", "/v1/bot-api/updates?limit=100", { token })).body.items;
  const feedItems = async () => {
    const { body } = await ask(api, "GET", "/v1/platform/feed?limit=500", { token: PLATFORM_TOKEN });
    return body.items.filter(
      ({ owner_user_id }: { owner_user_id: string }) => owner_user_id === world.owner,
    ) as { id: string; event_type: string; by: object; channel: object; payload: Record<string, unknown> }[];
  };

  const bodyOf = async (id: string) =>
    (await asOwner("GET", `/v1/channels/${world.channelId}/posts/${id}`)).body;

  return { asBot, asOwner, interact, press, command, read, respond, updatesOf, feedItems, bodyOf };
}

/** Why it was refused. */
export const codeOf = (answer: Answer) => answer.headers.get("botyard-error");
