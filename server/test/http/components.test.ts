import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_COMPONENTS_BYTES } from "#botyard/domain/limits.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
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

const approve = { type: "button", id: "approve:17", label: "Approve", style: "primary", value: "17" };
const page = { type: "button", id: "docs", label: "Read", url: "https://example.com/docs" };
const option = (value: string) => ({ label: value, value });
const when = {
  type: "select",
  id: "when",
  options: [option("a"), option("b")],
  placeholder: "When?",
  min: 0,
  max: 2,
};
const all = [[approve, page], [when]];

const channel = (path = "") => `/v1/channels/${world.channelId}/posts${path}`;
const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.ownerToken, ...(body !== undefined && { body }) });
const asBot = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.botToken, ...(body !== undefined && { body }) });
const post = (components: unknown) =>
  asBot("POST", `/v1/bot-api/channels/${world.channelId}/posts`, { body: "x", components });

describe("components of a post", () => {
  it("are stored with it, in its update, in lists, in batches and answers to a repeated key", async () => {
    const made = await post(all);
    expectContract("createBotPost", made);
    expect(made.body.components).toEqual(all);
    const listed = await asOwner("GET", channel());
    expectContract("listChannelPosts", listed);
    expect(listed.body.items[0].components).toEqual(all);
    const [update] = (await asBot("GET", "/v1/bot-api/updates")).body.items;
    expect(update.payload.components).toEqual(all);
    const item = { channel_id: world.channelId, body: "y", components: [[page]], idempotency_key: "1" };
    for (const replayed of [undefined, true]) {
      const batch = await asOwner("POST", "/v1/posts/batch", { posts: [item] });
      expect(batch.body.items[0]).toMatchObject({ status: 201, post: { components: [[page]] } });
      expect(batch.body.items[0].replayed).toBe(replayed);
    }
    expect((await post(undefined)).body.components).toBeUndefined();
    expect((await post([])).body.components).toBeUndefined();
  });

  it("change with an edit, which leaves them when it does not name them, and go with the post", async () => {
    await asBot("PUT", "/v1/bot-api/subscription", { event_types: ["*"] });
    const { id } = (await post(all)).body;
    const renamed = await asOwner("PATCH", channel(`/${id}`), { body: "y" });
    expect(renamed.body).toMatchObject({ body: "y", components: all });
    const fewer = await asOwner("PATCH", channel(`/${id}`), { components: [[when]] });
    expectContract("editChannelPost", fewer);
    expect(fewer.body).toMatchObject({ body: "y", components: [[when]], revision: 3 });
    expect((await asBot("GET", "/v1/bot-api/updates")).body.items.at(-1)).toMatchObject({
      event_type: "channel.post_edited",
      payload: { components: [[when]] },
    });
    const without = await asOwner("PATCH", channel(`/${id}`), { components: [] });
    expect(without.body.components).toBeUndefined();
    await asOwner("DELETE", channel(`/${id}`));
    const updates = await asBot("GET", "/v1/bot-api/updates");
    expect(updates.text).not.toContain("When?");
    expect(updates.text).not.toContain("Approve");
  });

  it("are refused when they are not right, with nothing published", async () => {
    const { label: _, ...unlabelled } = approve;
    const big = Array.from({ length: 5 }, (_row, row) =>
      Array.from({ length: 5 }, (_place, place) => ({
        ...approve,
        id: `${row}.${place}`,
        confirm: "x".repeat(300),
      })),
    );
    expect(JSON.stringify(big).length).toBeGreaterThan(MAX_COMPONENTS_BYTES);
    const bad: [unknown, string][] = [
      [{}, "invalid_input"],
      [[approve], "invalid_input"],
      [[[]], "invalid_input"],
      [Array.from({ length: 6 }, (_row, row) => [{ ...approve, id: `${row}` }]), "invalid_input"],
      [[Array.from({ length: 6 }, (_place, place) => ({ ...approve, id: `${place}` }))], "invalid_input"],
      [[[{ ...approve, type: "menu" }]], "invalid_input"],
      [[[{ ...approve, id: "a b" }]], "invalid_input"],
      [[[{ ...approve, style: "loud" }]], "invalid_input"],
      [[[{ ...approve, label: "" }]], "invalid_input"],
      [[[{ ...when, options: [] }]], "invalid_input"],
      [[[{ ...when, max: 26 }]], "invalid_input"],
      [[[unlabelled]], "invalid_components"],
      [[[approve], [approve]], "invalid_components"],
      [[[{ ...approve, options: [option("a")] }]], "invalid_components"],
      [[[{ ...when, label: "x" }]], "invalid_components"],
      [[[{ ...when, options: undefined }]], "invalid_components"],
      [[[{ ...when, options: [option("a"), option("a")] }]], "invalid_components"],
      [[[{ ...when, min: 2, max: 1 }]], "invalid_components"],
      [[[{ ...when, max: 3 }]], "invalid_components"],
      [[[{ ...page, url: "javascript:alert(1)" }]], "invalid_components"],
      [[[{ ...page, url: "/docs" }]], "invalid_components"],
      [[[{ ...page, value: "x" }]], "invalid_components"],
      [big, "too_large"],
    ];
    for (const [components, code] of bad) {
      const answer = await post(components);
      expectFailure("createBotPost", answer, 400);
      expect([answer.headers.get("botyard-error"), answer.body.error]).toEqual([
        code,
        expect.stringMatching(/^components/),
      ]);
    }
    expect((await asOwner("GET", channel())).body.items).toEqual([]);
  });
});
