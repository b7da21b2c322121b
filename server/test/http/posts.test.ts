import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_POST_EDITS_PER_SECOND } from "#botyard/domain/limits.js";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, type Ask, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;

/** They take far less than the second after which more are allowed. */
const EDITS_AT_ONCE = 4 * MAX_POST_EDITS_PER_SECOND;

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
const callers = [
  ["an owner", asOwner, "ChannelPost"],
  ["a bot", asBot, "BotPost"],
] as const;

async function publish(as: typeof asOwner, body: object = { body: "first" }, headers = {}): Promise<Answer> {
  const answer = await as("POST", "", { body, headers });
  expect(answer.status, answer.text).toBe(201);
  return answer;
}
const ifMatch = (revision: string) => ({ "if-match": revision });

describe.each(callers)("%s", (_, as, what) => {
  it("reads, edits and deletes a post", async () => {
    const { body: made } = await publish(as, { body: "first", media: [{ kind: "image" }] });
    const read = await as("GET", `/${made.id}`);
    expectContract(`get${what}`, read);
    expect(read.body).toMatchObject({ ...made, media: [{ kind: "image" }], revision: 1 });
    expect(read.body).not.toHaveProperty("edited_at");

    const edited = await as("PATCH", `/${made.id}`, { body: { body: "second" } });
    expect(edited.status).toBe(200);
    expectContract(`edit${what}`, edited);
    expect(edited.body).toEqual({
      ...read.body,
      body: "second",
      revision: 2,
      edited_at: expect.stringMatching(/^20.*Z$/),
    });
    expect((await as("GET", `/${made.id}`)).body).toEqual(edited.body);
    expect((await asOwner("GET")).body.items).toEqual([edited.body]);

    const bare = await as("PATCH", `/${made.id}`, { body: { media: [] } });
    expect(bare.body).toMatchObject({ body: "second", revision: 3 });
    expect(bare.body).not.toHaveProperty("media");

    const deleted = await as("DELETE", `/${made.id}`);
    expect(deleted.status).toBe(200);
    expectContract(`delete${what}`, deleted);
    expect(deleted.body).toEqual({ status: "deleted" });
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const operation = `${method === "PATCH" ? "edit" : method.toLowerCase()}${what}`;
      const body = method === "PATCH" ? { body: { body: "x" } } : {};
      expectFailure(operation, await as(method, `/${made.id}`, body), 404, "post not found");
    }
    expect((await asOwner("GET")).body.items).toEqual([]);
    const { body: log } = await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(log.items).toHaveLength(1);
    expect(log.items[0].payload).toMatchObject({ post_id: made.id, body: "", deleted: true });
    expect(JSON.stringify(log)).not.toContain("image");
  });

  it("edits the revision it names, or nothing", async () => {
    const { body: made } = await publish(as);
    const edit = (revision: string, body: object = { body: "second" }, id = made.id) =>
      as("PATCH", `/${id}`, { body, headers: ifMatch(revision) });
    for (const wrong of [
      "first",
      "-1",
      '"1',
      "1.0",
      'W/"1"',
      "1, 2",
      "1".repeat(10),
      "01",
      '"01"',
      '"0"',
      "+1",
    ]) {
      // A post of its own for each, or there would be too many edits of one.
      const { body: other } = await publish(as);
      const answer = await edit(wrong, { body: "second" }, other.id);
      expectFailure(`edit${what}`, answer, 400, /^If-Match must be/);
    }
    const early = await edit('"2"');
    expectFailure(`edit${what}`, early, 400, /has revision 1, not 2/);
    expect(early.headers.get("botyard-error")).toBe("revision_conflict");
    expect((await edit('"1"')).body).toMatchObject({ body: "second", revision: 2 });
    const late = await edit("1", { body: "third" });
    expectFailure(`edit${what}`, late, 400, /has revision 2, not 1/);
    expect(late.headers.get("botyard-error")).toBe("revision_conflict");
    expect((await as("GET", `/${made.id}`)).body).toMatchObject({ body: "second", revision: 2 });
  });

  it("may edit a post five times in a second, and another post meanwhile", async () => {
    const { body: made } = await publish(as);
    const { body: other } = await publish(as);
    const edits = await Promise.all(
      Array.from({ length: EDITS_AT_ONCE }, (_, number) =>
        as("PATCH", `/${made.id}`, { body: { body: `edit ${number}` } }),
      ),
    );
    const refused = edits.filter(({ status }) => status !== 200);
    // More than five if they took longer than a fifth of a second.
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(EDITS_AT_ONCE - MAX_POST_EDITS_PER_SECOND);
    for (const answer of refused) {
      expectFailure(`edit${what}`, answer, 429, /at most 5 edits of one post in a second/);
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    expect((await as("GET", `/${made.id}`)).body.revision).toBe(1 + edits.length - refused.length);
    expect((await as("PATCH", `/${other.id}`, { body: { body: "x" } })).status).toBe(200);
  });

  it("gets all that a later read gives when it publishes", async () => {
    const published = await publish(as, { body: "whole", media: [{ kind: "photo" }] });
    expect(published.body).toEqual((await as("GET", `/${published.body.id}`)).body);
    expect(published.body).toMatchObject({ revision: 1, author: { id: expect.any(String) } });
  });

  it("cannot make a post blank, too long, or leave it as it is", async () => {
    const { body: made } = await publish(as);
    const path = `/${made.id}`;
    const edit = (body: object) => as("PATCH", path, { body });
    expectFailure(`edit${what}`, await edit({}), 400, /nothing to change/);
    expectFailure(`edit${what}`, await edit({ body: " \n" }), 400, /^body/);
    expectFailure(`edit${what}`, await edit({ body: "x".repeat(4097) }), 400, /^body/);
    expectFailure(`edit${what}`, await edit({ media: [1] }), 400, /^media/);
    expect((await as("GET", path)).body).toMatchObject({ body: "first", revision: 1 });
  });

  it("publishes once with one key, whatever the body says", async () => {
    const headers = { "idempotency-key": `key ${what}`.replace(" ", "-") };
    const first = await publish(as, { body: "first" }, headers);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const again = await publish(as, { body: "other" }, headers);
    expectContract(`create${what}`, again);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
    const twins = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        publish(as, { body: `twin ${number}` }, { "idempotency-key": `twins-${what}` }),
      ),
    );
    expect(new Set(twins.map(({ text }) => text)).size).toBe(1);
    expect(twins.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
    expect((await asOwner("GET")).body.items).toHaveLength(2);
    const { body } = await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toHaveLength(2);
  });

  it.each([
    ["", "empty"],
    ["two words", "a blank"],
    ["x".repeat(256), "too long"],
    ["\u00e4", "not ASCII"],
  ])("is refused a key that is no key: %j", async (key) => {
    const answer = await as("POST", "", { body: { body: "x" }, headers: { "idempotency-key": key } });
    expectFailure(`create${what}`, answer, 400, /^Idempotency-Key must be 1 to 255 visible ASCII/);
    expect((await asOwner("GET")).body.items).toEqual([]);
  });
});

it("a bot publishes in its own name: author is ignored as any unknown field", async () => {
  for (const author of [{ id: "user-7", username: "Zoë" }, 5, null]) {
    const { status, body } = await publish(asBot, { body: "mine", author });
    expect(status).toBe(201);
    expect(body.author).toMatchObject({ type: "bot", id: world.botId });
  }
});

describe("posts of others", () => {
  it("are changed by the owner of the channel, and by no member but their author", async () => {
    const { body: ofOwner } = await publish(asOwner);
    const path = `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`;
    await ask(api, "DELETE", path, { token: world.ownerToken });
    // Posts and attachments are compared by the millisecond.
    await sleep(2);
    await ask(api, "POST", path, { token: world.ownerToken, body: { role: "member" } });
    const { body: ofBot } = await publish(asBot);
    const edited = await asOwner("PATCH", `/${ofBot.id}`, { body: { body: "by the owner" } });
    expect(edited.body).toMatchObject({
      author: { type: "bot", id: world.botId, username: world.username },
      body: "by the owner",
    });
    expectFailure("getBotPost", await asBot("GET", `/${ofOwner.id}`), 403, /did not publish/);
    const body = { body: "by the bot" };
    expectFailure("editBotPost", await asBot("PATCH", `/${ofOwner.id}`, { body }), 403, /did not publish/);
    expectFailure("deleteBotPost", await asBot("DELETE", `/${ofOwner.id}`), 403, /did not publish/);
    expect((await asOwner("GET", `/${ofOwner.id}`)).body).toMatchObject({ body: "first", revision: 1 });
    expect((await asOwner("DELETE", `/${ofBot.id}`)).status).toBe(200);
  });

  it("are out of reach for a bot that was detached, also its own", async () => {
    const { body: post } = await publish(asBot);
    const path = `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`;
    await ask(api, "DELETE", path, { token: world.ownerToken });
    const body = { body: "x" };
    expectFailure("getBotPost", await asBot("GET", `/${post.id}`), 403, /not attached/);
    expectFailure("editBotPost", await asBot("PATCH", `/${post.id}`, { body }), 403, /not attached/);
    expectFailure("deleteBotPost", await asBot("DELETE", `/${post.id}`), 403, /not attached/);
  });

  it("are not said to be deleted, nor unknown, before they are erased", async () => {
    const { body: post } = await publish(asOwner);
    const { runUpkeep } = api.store;
    try {
      // As long as this takes, for a post with very many edits. With a pause, since a deletion asks again for five seconds.
      api.store.runUpkeep = async () => {
        await sleep(20);
        return "more";
      };
      const deletion = async () => await asOwner("DELETE", `/${post.id}`);
      expect((await deletion()).status).toBe(200);
      expectFailure(
        "deleteChannelPost",
        await deletion(),
        503,
        "not all of it is erased yet: repeat the call",
      );
      api.store.runUpkeep = runUpkeep;
      expectFailure("deleteChannelPost", await deletion(), 404, "post not found");
    } finally {
      api.store.runUpkeep = runUpkeep;
    }
  });

  it("share no key: each author and channel has its own", async () => {
    const headers = { "idempotency-key": "same" };
    const ofOwner = await publish(asOwner, { body: "of the owner" }, headers);
    const ofBot = await publish(asBot, { body: "of the bot" }, headers);
    expect(ofBot.body.id).not.toBe(ofOwner.body.id);
    expect(ofBot.headers.get("idempotency-replayed")).toBeNull();
  });
});

describe("a deleted channel", () => {
  it("is gone with its posts, also in the updates, and its slug is free", async () => {
    const { body: post } = await publish(asBot, { body: "secret" });
    const path = `/v1/channels/${world.channelId}`;
    const { body: channel } = await ask(api, "GET", path, { token: world.ownerToken });
    const deleted = await ask(api, "DELETE", path, { token: world.ownerToken });
    expectContract("deleteChannel", deleted);
    expect(deleted.body).toEqual({ status: "deleted" });
    expectFailure("getChannel", await ask(api, "GET", path, { token: world.ownerToken }), 404);
    expectFailure("deleteChannel", await ask(api, "DELETE", path, { token: world.ownerToken }), 404);
    expectFailure("getChannelPost", await asOwner("GET", `/${post.id}`), 404);
    expectFailure("createBotPost", await asBot("POST", "", { body: { body: "x" } }), 403, /not attached/);
    const { body: channels } = await ask(api, "GET", "/v1/bot-api/channels", { token: world.botToken });
    expect(channels.items).toEqual([]);
    const again = await ask(api, "POST", "/v1/channels", {
      token: world.ownerToken,
      body: { slug: channel.slug, title: "Again" },
    });
    expect(again.status).toBe(201);
  });
});
