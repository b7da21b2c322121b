import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, type Ask, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const asOwner = (method: string, path = "", what: Ask = {}) =>
  ask(api, method, `/v1/channels/${world.channelId}/posts${path}`, { token: world.ownerToken, ...what });
const asBot = (method: string, path = "", what: Ask = {}) =>
  ask(api, method, `/v1/bot-api/channels/${world.channelId}/posts${path}`, {
    token: world.botToken,
    ...what,
  });
const batch = (posts: object[]) =>
  ask(api, "POST", "/v1/posts/batch", { token: world.ownerToken, body: { posts } });
const updates = async (): Promise<Answer["body"][]> =>
  (await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken })).body.items;
const hearOnly = (posts: string) =>
  ask(api, "PUT", `/v1/bot-api/bots/${world.botId}/subscription`, {
    token: world.ownerToken,
    body: { event_types: ["channel.*"], posts, own_posts: false },
  });

describe("a post that answers another one", () => {
  it.each([
    ["an owner", asOwner, "createChannelPost"],
    ["a bot", asBot, "createBotPost"],
  ] as const)("by %s has whose post it answers, also after an edit", async (_, as, operation) => {
    const user = { id: "user-7", username: "Zoë" };
    const { body: question } = await asOwner("POST", "", { body: { body: "Rain?", author: user } });
    const replied = await as("POST", "", { body: { body: "No.", reply_to: question.id } });
    expectContract(operation, replied);
    const reply_to = { post_id: question.id, author: { type: "user", ...user } };
    expect(replied.body.reply_to).toEqual(reply_to);
    const edited = await as("PATCH", `/${replied.body.id}`, { body: { body: "Yes." } });
    expect(edited.body).toMatchObject({ body: "Yes.", revision: 2, reply_to });
    expect((await asOwner("GET", `/${replied.body.id}`)).body).toMatchObject({ reply_to });
    const [, update] = await updates();
    expect(update.payload).toMatchObject({ post_id: replied.body.id, reply_to });
    expect((await as("PATCH", `/${replied.body.id}`, { body: { reply_to: null } })).status).toBe(400);
    // The answered post may go; the answer may too, and then nothing of it is left.
    await asOwner("DELETE", `/${question.id}`);
    expect((await asOwner("GET", `/${replied.body.id}`)).body).toMatchObject({ reply_to });
    await asOwner("DELETE", `/${replied.body.id}`);
    expect((await updates())[1].payload).toEqual({
      body: "",
      channel_id: world.channelId,
      post_id: replied.body.id,
      author_username: "",
      deleted: true,
    });
  });

  it("is heard by the bot whose post it answers, also when that hears mentions only", async () => {
    await hearOnly("mentions");
    const { body: own } = await asBot("POST", "", { body: { body: "Ready." } });
    const { body: other } = await asOwner("POST", "", { body: { body: "Hello" } });
    const { body: answer } = await asOwner("POST", "", { body: { body: "Go on", reply_to: own.id } });
    await asOwner("POST", "", { body: { body: "not for the bot", reply_to: other.id } });
    await asOwner("PATCH", `/${answer.id}`, { body: { body: "Go on, please" } });
    const preview = await ask(api, "POST", `/v1/bot-api/bots/${world.botId}/subscription/preview`, {
      token: world.ownerToken,
      body: { event_types: ["channel.*"], posts: "mentions", channel_id: world.channelId },
    });
    expect(preview.status, preview.text).toBe(200);
    await asOwner("DELETE", `/${answer.id}`);
    const heard = (await updates()).map(({ event_type, payload }) => [event_type, payload.post_id]);
    expect(heard).toEqual([
      ["channel.post_created", answer.id],
      ["channel.post_edited", answer.id],
      ["channel.post_deleted", answer.id],
    ]);
    const hit = preview.body.items.filter(({ heard: isHeard }: { heard: boolean }) => isHeard);
    expect(hit.length, preview.text).toBeGreaterThan(0);
  });

  it("is refused when the channel has no such post, unless its key was used before", async () => {
    const other = await makeWorld(api);
    const { body: elsewhere } = await ask(api, "POST", `/v1/channels/${other.channelId}/posts`, {
      token: other.ownerToken,
      body: { body: "elsewhere" },
    });
    const { body: deleted } = await asOwner("POST", "", { body: { body: "deleted" } });
    await asOwner("DELETE", `/${deleted.id}`);
    for (const reply_to of [elsewhere.id, deleted.id, world.botId, "not an id", ""]) {
      for (const [as, operation] of [
        [asOwner, "createChannelPost"],
        [asBot, "createBotPost"],
      ] as const)
        expectFailure(operation, await as("POST", "", { body: { body: "x", reply_to } }), 400, /^reply_to/);
    }
    const { body: question } = await asOwner("POST", "", { body: { body: "Rain?" } });
    const reply = () =>
      asBot("POST", "", {
        body: { body: "No.", reply_to: question.id },
        headers: { "idempotency-key": "reply" },
      });
    const { body: first } = await reply();
    await asOwner("DELETE", `/${question.id}`);
    expect((await reply()).body.id).toBe(first.id);
    // Who may not write in the channel is told so, and nothing of what is in it.
    const stranger = (channelId: string) =>
      ask(api, "POST", `/v1/channels/${channelId}/posts`, {
        token: other.ownerToken,
        body: { body: "x", reply_to: first.id },
      });
    expect((await stranger(world.channelId)).status).toBe(404);
  });

  it("may be in a batch, where one that is wrong fails alone", async () => {
    const { body: question } = await asBot("POST", "", { body: { body: "Ready?" } });
    const channel_id = world.channelId;
    const { status, body } = await batch([
      { channel_id, body: "Yes", reply_to: question.id },
      { channel_id, body: "To nothing", reply_to: channel_id },
      { channel_id, body: "No answer" },
    ]);
    expect(status).toBe(200);
    expect(body.items.map((item: { status: number }) => item.status)).toEqual([201, 400, 201]);
    expect(body.items[0].post.reply_to).toMatchObject({
      post_id: question.id,
      author: { type: "bot", id: world.botId },
    });
    expect(body.items[1]).toMatchObject({ code: "reply_not_found" });
  });
});

describe("a post without text", () => {
  it("needs media, and keeps them or gets a text", async () => {
    const media = [{ kind: "image", url: "https://example.com/a.png" }];
    for (const as of [asOwner, asBot]) {
      for (const body of [{ body: "" }, { body: "", media: [] }, { body: " \n", media }]) {
        const refused = await as("POST", "", { body });
        expect(refused.status, refused.text).toBe(400);
        expect(refused.headers.get("botyard-error")).toBe("blank_body");
      }
      const { body: made, status } = await as("POST", "", { body: { body: "", media } });
      expect(status).toBe(201);
      expect(made).toMatchObject({ body: "", media });
      expect((await as("PATCH", `/${made.id}`, { body: { media: [] } })).status).toBe(400);
      expect((await as("PATCH", `/${made.id}`, { body: { body: "text", media: [] } })).status).toBe(200);
      expect((await as("PATCH", `/${made.id}`, { body: { body: "" } })).status).toBe(400);
    }
    expect((await updates())[0].payload).toMatchObject({ body: "", media });
  });
});
