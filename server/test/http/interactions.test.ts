import { describe, expect, it } from "vitest";
import { INTERACTION_MS } from "#botyard/domain/events/interaction.js";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { approve, codeOf, onPressedPost, user } from "../support/pressed-post.js";

let api: RunningApi;
let world: World;
let postId: string;
const { asBot, asOwner, command, feedItems, interact, press, read, respond, updatesOf } = onPressedPost(
  (pressed) => {
    ({ api, world, postId } = pressed);
  },
);

describe("an interaction", () => {
  it("with a command is one update of its bot alone, whatever that subscribes to, and not in the feed", async () => {
    const other = await ask(api, "POST", "/v1/bot-api/bots", {
      token: world.ownerToken,
      body: { username: `${world.username}-other` },
    });
    await asOwner("POST", `/v1/bot-api/bots/${other.body.bot.id}/channels/${world.channelId}`);
    const otherToken: string = other.body.token.token;
    await asBot("PUT", "/v1/bot-api/subscription", { event_types: ["*"] }, {}, otherToken);
    await asBot("PUT", "/v1/bot-api/subscription", { event_types: [] });
    const before = await feedItems();
    const options = { city: "Oslo", days: 1, for: "user-8", exact: true, above: 1.5 };
    const made = await command(options);
    expect(made.status).toBe(201);
    expectContract("createInteraction", made);
    const { id, created_at, expires_at } = made.body;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(INTERACTION_MS);
    const whole = { kind: "command", channel_id: world.channelId, bot_id: world.botId, user };
    const chosen = { name: "weather", options };
    expect(made.body).toMatchObject({ ...whole, command: chosen, state: "waiting", responses: [] });
    const update = (await updatesOf()).at(-1);
    expect(update).toMatchObject({
      event_type: "interaction.created",
      payload: { interaction_id: id, ...whole, command: chosen, expires_at },
    });
    expect(await updatesOf(otherToken)).toHaveLength(0);
    expect(await feedItems()).toEqual(before);
    const found = await read(id);
    expectContract("getInteraction", found);
    expect(found.body).toEqual(made.body);
  });

  it("with a component has the post, its revision, and the values that the bot gave or the user chose", async () => {
    const pressed = await press({ id: "approve:17" });
    expect(pressed.body).toMatchObject({
      kind: "component",
      component: { id: "approve:17", values: ["17"] },
      post: { id: postId, revision: 1 },
    });
    expect((await press({ id: "reject:17" })).body.component.values).toEqual([]);
    const chosen = await press(
      { id: "when", values: ["later", "now"] },
      { post: { id: postId, revision: 1 } },
    );
    expect(chosen.body.component.values).toEqual(["later", "now"]);
    const { payload } = (await updatesOf()).at(-1);
    expect(payload).toMatchObject({
      component: { id: "when", values: ["later", "now"] },
      post: { revision: 1 },
    });
  });

  it("is one however often it is sent with its key, also with an invalid body", async () => {
    const key = { "idempotency-key": "press-1" };
    const first = await press({ id: "approve:17" }, {}, key);
    for (const body of [{ id: "approve:17" }, { id: "nothing" }, { id: 7 }]) {
      const again = await press(body, {}, key);
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
      expect(again.body).toEqual(first.body);
    }
    const together = await Promise.all(
      Array.from({ length: 8 }, () => press({ id: "when", values: ["now"] }, {}, { "idempotency-key": "2" })),
    );
    expect(new Set(together.map(({ body }) => body.id)).size).toBe(1);
    expect(
      (await updatesOf()).filter(({ event_type: kind }: { event_type: string }) => kind.startsWith("inter")),
    ).toHaveLength(2);
  });

  it("is told with what was responded since when it is sent again", async () => {
    const key = { "idempotency-key": "press-2" };
    const { id } = (await press({ id: "approve:17" }, {}, key)).body;
    await respond(id, { type: "private", body: "done" });
    for (const component of [{ id: "approve:17" }, { id: 7 }]) {
      const again = await press(component, {}, key);
      expectContract("createInteraction", again);
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
      expect(again.body).toEqual((await read(id)).body);
      expect(again.body).toMatchObject({ state: "responded", responses: [{ body: "done" }] });
    }
  });

  it("is refused at once when it cannot be, and stored nowhere", async () => {
    const edited = await asBot("PATCH", `/v1/bot-api/channels/${world.channelId}/posts/${postId}`, {
      components: [[approve]],
    });
    expect(edited.body.revision).toBe(2);
    const mine = await asOwner("POST", `/v1/channels/${world.channelId}/posts`, {
      body: "x",
      components: [[approve]],
    });
    const big = { city: "x".repeat(17_000) };
    const bad: [() => Promise<Answer>, number, string][] = [
      [() => press({ id: "nothing" }), 400, "unknown_component"],
      [() => press({ id: "docs" }), 400, "unknown_component"],
      [() => press({ id: "when", values: ["now"] }), 400, "unknown_component"],
      [() => press({ id: "approve:17", values: ["x"] }), 400, "invalid_values"],
      [() => press({ id: "approve:17" }, { post: { id: postId, revision: 1 } }), 400, "revision_conflict"],
      [() => press({ id: "approve:17" }, { post: { id: world.channelId } }), 404, "post_not_found"],
      [() => press({ id: "approve:17" }, { post: { id: mine.body.id } }), 400, "unknown_component"],
      [() => press({ id: "approve:17" }, { post: undefined }), 400, "invalid_input"],
      [
        () => press({ id: "approve:17" }, { post: undefined, response_id: postId }),
        404,
        "response_not_found",
      ],
      [() => press({ id: "approve:17" }, { response_id: postId }), 400, "invalid_input"],
      [() => press({ id: "approve:17" }, { user: undefined }), 400, "invalid_input"],
      [() => interact({ kind: "form" }), 400, "invalid_input"],
      [() => interact({ kind: "command" }), 400, "invalid_input"],
      [() => command({}), 400, "invalid_options"],
      [() => command({ city: 7 }), 400, "invalid_options"],
      [() => command({ city: "Oslo", days: 2 }), 400, "invalid_options"],
      [() => command({ city: "Oslo", exact: "yes" }), 400, "invalid_options"],
      [() => command({ city: "Oslo", above: "1" }), 400, "invalid_options"],
      [() => command({ city: "Oslo", toString: "x" }), 400, "invalid_options"],
      [() => command(big), 400, "too_large"],
      [() => command({ city: "\0" }), 400, "unclean_text"],
      [
        () => interact({ kind: "command", bot_id: world.botId, command: { name: "no" } }),
        400,
        "unknown_command",
      ],
      [() => command({ city: "x" }, { bot_id: postId }), 404, "attachment_not_found"],
    ];
    for (const [call, status, code] of bad) {
      const answer = await call();
      expectFailure("createInteraction", answer, status);
      expect(codeOf(answer)).toBe(code);
    }
    const stranger = await makeWorld(api);
    const path = `/v1/channels/${world.channelId}/interactions`;
    const body = { kind: "component", user, component: { id: "approve:17" }, post: { id: postId } };
    expect((await ask(api, "POST", path, { token: stranger.ownerToken, body })).status).toBe(404);
    const choice = { kind: "command", user, bot_id: world.botId, command: { name: "no" } };
    const byStranger = await ask(api, "POST", path, { token: stranger.ownerToken, body: choice });
    expect([byStranger.status, codeOf(byStranger)]).toEqual([404, "channel_not_found"]);
    const theirs = `/v1/channels/${stranger.channelId}/interactions`;
    const inTheirs = await ask(api, "POST", theirs, { token: stranger.ownerToken, body: choice });
    expect([inTheirs.status, codeOf(inTheirs)]).toEqual([404, "attachment_not_found"]);
    await asOwner("POST", `/v1/bot-api/bots/${world.botId}/disable`);
    const disabled = await press({ id: "approve:17" });
    expect([disabled.status, codeOf(disabled)]).toEqual([400, "bot_disabled"]);
    expect(codeOf(await command({ city: "Oslo" }))).toBe("bot_disabled");
    await asOwner("POST", `/v1/bot-api/bots/${world.botId}/enable`);
    await asOwner("POST", `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`, { role: "reader" });
    expect(codeOf(await press({ id: "approve:17" }))).toBe("bot_is_reader");
    expect(codeOf(await command({ city: "Oslo" }))).toBe("bot_is_reader");
    const offered = await asOwner("GET", `/v1/channels/${world.channelId}/commands`);
    expect(offered.body.items).toEqual([]);
    await asOwner("DELETE", `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`);
    const detached = await press({ id: "approve:17" });
    expect([detached.status, codeOf(detached)]).toEqual([404, "attachment_not_found"]);
    expect(JSON.stringify(await updatesOf())).not.toContain("interaction.created");
  });

  it("under a select takes as many options as it allows", async () => {
    for (const values of [[], ["now", "later", "never"], ["now", "now"], ["x"]]) {
      const answer = await press({ id: "when", values });
      expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_values"]);
    }
    expect((await press({ id: "when" })).status).toBe(400);
  });
});
