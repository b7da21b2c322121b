import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { INTERACTION_MS } from "#botyard/domain/events/interaction.js";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { engine } from "../support/engines.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";
import { switchFeedOn } from "../support/feed-world.js";
import { connectSql } from "../support/stored-rows.js";

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
        { name: "days", type: "integer", description: "For how long", choices: [{ label: "one", value: 1 }] },
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
});

const approve = { type: "button", id: "approve:17", label: "Approve", style: "primary", value: "17" };
const reject = { type: "button", id: "reject:17", label: "Reject", style: "danger", confirm: "Really?" };
const when = {
  type: "select",
  id: "when",
  min: 1,
  max: 2,
  options: ["now", "later", "never"].map((value) => ({ label: value, value })),
};
const docs = { type: "button", id: "docs", label: "Read", url: "https://example.com/docs" };
const user = { id: "user-7", username: "Zoë" };

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
const codeOf = (answer: Answer) => answer.headers.get("botyard-error");
const bodyOf = async (id: string) =>
  (await asOwner("GET", `/v1/channels/${world.channelId}/posts/${id}`)).body;

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

describe("a response", () => {
  let id: string;
  beforeEach(async () => {
    id = (await press({ id: "approve:17" })).body.id;
  });

  it("is a post in the channel, an edit of what was pressed, a private one or a sign of work; all in the feed", async () => {
    const working = await respond(id, { type: "working" });
    expect(working.status).toBe(201);
    expectContract("respondToInteraction", working);
    expect((await read(id)).body.state).toBe("working");
    const posted = await respond(id, { type: "post", body: "17 is approved", components: [[reject]] });
    expectContract("respondToInteraction", posted);
    expect(posted.body.post).toMatchObject({
      body: "17 is approved",
      author: { id: world.botId },
      revision: 1,
    });
    const updated = await respond(id, { type: "update", body: "Approved", components: [] });
    expect(updated.body.response.post).toEqual({ id: postId, revision: 2 });
    const hidden = { type: "private", body: "Thank you", components: [[approve]], media: [{ a: 1 }] };
    const told = await respond(id, hidden);
    expect(told.body).toMatchObject({ response: hidden });
    expect(await bodyOf(postId)).toMatchObject({ body: "Approved", revision: 2 });
    expect((await bodyOf(postId)).components).toBeUndefined();
    expect((await bodyOf(posted.body.post.id)).components).toEqual([[reject]]);
    const found = await read(id);
    expectContract("getInteraction", found);
    expect(found.body.state).toBe("responded");
    expect(found.body.responses).toEqual([working, posted, updated, told].map(({ body }) => body.response));
    const items = await feedItems();
    const responded = items.filter(({ event_type: kind }) => kind === "interaction.responded");
    expect(responded.map((item) => item.id)).toEqual(
      found.body.responses.map((one: { id: string }) => one.id),
    );
    const { payload, by, channel } = responded.at(-1) ?? {};
    expect(by).toEqual({ type: "bot", id: world.botId });
    expect(channel).toEqual({ id: world.channelId });
    expect(payload).toEqual({
      interaction_id: id,
      kind: "component",
      channel_id: world.channelId,
      bot_id: world.botId,
      username: world.username,
      user,
      ...hidden,
    });
    const kinds = items.map(({ event_type: kind }) => kind);
    expect(kinds).toContain("channel.post_edited");
    expect(kinds.filter((kind) => kind === "channel.post_created")).toHaveLength(2);
    const listed = await asOwner("GET", `/v1/channels/${world.channelId}/posts`);
    expect(listed.text).not.toContain("Thank you");
    const preview = { channel_id: world.channelId, event_types: ["*"] };
    const previewed = await asOwner("POST", `/v1/bot-api/bots/${world.botId}/subscription/preview`, preview);
    expect(previewed.status).toBe(200);
    expect(previewed.text).not.toMatch(/Thank you|interaction/);
    expect(JSON.stringify(await updatesOf())).not.toContain("Thank you");
  });

  it("may be pressed itself when it is private", async () => {
    const { response } = (await respond(id, { type: "private", body: "Sure?", components: [[approve]] }))
      .body;
    const pressed = await press({ id: "approve:17" }, { post: undefined, response_id: response.id });
    expect(pressed.status).toBe(201);
    expect(pressed.body).toMatchObject({ response_id: response.id, bot_id: world.botId });
    expect(pressed.body.post).toBeUndefined();
    const by = { id: "user-8", username: "Zoë" };
    const another = await press(
      { id: "approve:17" },
      { post: undefined, response_id: response.id, user: by },
    );
    expect([another.status, codeOf(another)]).toEqual([400, "unknown_component"]);
    const update = await respond(pressed.body.id, { type: "update", body: "x" });
    expect([update.status, codeOf(update)]).toEqual([400, "no_pressed_post"]);
    expect((await respond(pressed.body.id, { type: "post", body: "x" })).status).toBe(201);
  });

  it("is one however often it is sent with its key, and at most five are taken, also at once", async () => {
    const key = { "idempotency-key": "1" };
    const first = await respond(id, { type: "post", body: "once" }, key);
    const again = await respond(id, { type: "post", body: "twice" }, key);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(again.body.response).toEqual(first.body.response);
    expect((await respond(id, { type: "no" }, key)).body.response).toEqual(first.body.response);
    const twins = await Promise.all(
      [1, 2, 3].map(() => respond(id, { type: "post", body: "twins" }, { "idempotency-key": "2" })),
    );
    expect(new Set(twins.map(({ body }) => body.response.id)).size).toBe(1);
    const rest = await Promise.all(
      Array.from({ length: 8 }, (_, n) => respond(id, { type: "post", body: `rest ${n}` })),
    );
    expect(rest.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 400, 400, 400, 400, 400,
    ]);
    const late = await respond(id, { type: "update", body: "late" });
    expect([late.status, codeOf(late)]).toEqual([400, "too_many_responses"]);
    const posts = (await asOwner("GET", `/v1/channels/${world.channelId}/posts`)).body.items;
    expect(posts).toHaveLength(1 + 5);
    expect((await read(id)).body.responses).toHaveLength(5);
    expect((await bodyOf(postId)).revision).toBe(1);
  });

  it("is told again also to a bot that is no longer there, which gives no other", async () => {
    const key = { "idempotency-key": "1" };
    const first = await respond(id, { type: "private", body: "once" }, key);
    await asOwner("DELETE", `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`);
    const again = await respond(id, { type: "private", body: "once" }, key);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(again.body.response).toEqual(first.body.response);
    const another = await respond(id, { type: "private", body: "twice" });
    expect([another.status, codeOf(another)]).toEqual([403, "not_attached"]);
  });

  it.each([
    ["rotated", "token"],
    ["disabled with its bot", "disable"],
  ])("is stored or refused with 401 when its token is %s at that moment", async (_what, change) => {
    const answering = Array.from({ length: 5 }, () => respond(id, { type: "private", body: "x" }));
    answering.push(asOwner("POST", `/v1/bot-api/bots/${world.botId}/${change}`));
    answering.push(...Array.from({ length: 3 }, () => respond(id, { type: "working" })));
    const answers = await Promise.all(answering);
    const changed = answers.splice(5, 1);
    expect(changed[0]?.status).toBe(200);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectFailure(
        "respondToInteraction",
        answer,
        answer.body.error.startsWith("an interaction") ? 400 : 401,
      );
    const stored = answers.filter(({ status }) => status === 201);
    expect((await read(id)).body.responses).toHaveLength(stored.length);
  });

  // On SQLite there is no other instance that could have changed it.
  it.runIf(engine.name === "postgres").each([
    ["was rotated", "token_hash = 'another'"],
    ["is of a disabled bot", "disabled_at = 1"],
  ])("is refused with 401 to a token that %s elsewhere, whatever it asks", async (_what, change) => {
    const key = { "idempotency-key": "1" };
    expect((await respond(id, { type: "private", body: "once" }, key)).status).toBe(201);
    const sql = await connectSql(api.home);
    await sql.run(`UPDATE bots SET ${change} WHERE id = '${world.botId}'`);
    await sql.close();
    for (const [body, headers] of [
      [{ type: "private", body: "once" }, key],
      [{ type: "no" }, key],
      [{ type: "private", body: "twice" }, {}],
      [{ type: "update", body: "twice" }, {}],
    ] as const)
      expectFailure("respondToInteraction", await respond(id, body, headers), 401);
    expect((await read(id)).body.responses).toHaveLength(1);
  });

  it("that updates with a revision counts once for two who press at once, and is repeated with its key", async () => {
    const ids = [id, (await press({ id: "reject:17" })).body.id];
    const update = (one: string, key: string) =>
      respond(one, { type: "update", body: one }, { "if-match": '"1"', "idempotency-key": key });
    const answers = await Promise.all(ids.map((one) => update(one, "1")));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400]);
    expect(answers.map(codeOf)).toContain("revision_conflict");
    const winner = answers.findIndex(({ status }) => status === 201);
    expect(await bodyOf(postId)).toMatchObject({ body: ids[winner], revision: 2 });
    const again = await update(ids[winner] ?? "", "1");
    expect(again.body.response).toEqual(answers[winner]?.body.response);
    const wrong = await respond(id, { type: "update", body: "x" }, { "if-match": "x" });
    expect(codeOf(wrong)).toBe("invalid_input");
  });

  it("is refused when it is wrong, or the bot may not, with nothing stored", async () => {
    const other = await makeWorld(api);
    const bad: [() => Promise<Answer>, number, string][] = [
      [() => respond(id, { type: "form" }), 400, "invalid_input"],
      [() => respond(id, {}), 400, "invalid_input"],
      [() => respond(id, { type: "working", body: "x" }), 400, "invalid_input"],
      [() => respond(id, { type: "private" }), 400, "blank_body"],
      [() => respond(id, { type: "post", body: " " }), 400, "blank_body"],
      [() => respond(id, { type: "update" }), 400, "nothing_to_change"],
      [() => respond(id, { type: "update", body: "" }), 400, "blank_body"],
      [
        () => respond(id, { type: "private", body: "x", components: [[{ type: "button", id: "a" }]] }),
        400,
        "invalid_components",
      ],
      [() => respond(id, { type: "working" }, {}, other.botToken), 404, "interaction_not_found"],
      [() => respond(postId, { type: "working" }), 404, "interaction_not_found"],
      [() => respond("x", { type: "working" }), 404, "interaction_not_found"],
    ];
    for (const [call, status, code] of bad) {
      const answer = await call();
      expectFailure("respondToInteraction", answer, status);
      expect(codeOf(answer)).toBe(code);
    }
    const attach = `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`;
    await asOwner("POST", attach, { role: "reader" });
    expect(codeOf(await respond(id, { type: "post", body: "x" }))).toBe("read_only");
    expect(codeOf(await respond(id, { type: "private", body: "x" }))).toBe("read_only");
    await asOwner("DELETE", attach);
    expect(codeOf(await respond(id, { type: "working" }))).toBe("not_attached");
    await asOwner("POST", attach, { role: "moderator" });
    await asOwner("DELETE", `/v1/channels/${world.channelId}/posts/${postId}`);
    expect(codeOf(await respond(id, { type: "update", body: "x" }))).toBe("post_not_found");
    expect((await read(id)).body).toMatchObject({ state: "waiting", responses: [] });
  });

  it("is not taken after 15 minutes: then an interaction that nobody answered has expired", async () => {
    const answered = (await press({ id: "reject:17" })).body.id;
    await respond(answered, { type: "private", body: "x" });
    const working = (await press({ id: "reject:17" })).body.id;
    await respond(working, { type: "working" });
    const sql = await connectSql(api.home);
    // The payload says the same time as the row.
    await sql.run(`UPDATE events SET created_at = created_at - ${INTERACTION_MS},
      payload = replace(payload, '"expires_at":"2', '"expires_at":"1') WHERE event_type = 'interaction.created'`);
    await sql.close();
    expect((await read(id)).body.state).toBe("expired");
    expect((await read(working)).body.state).toBe("expired");
    expect((await read(answered)).body.state).toBe("responded");
    for (const body of [
      { type: "post", body: "late" },
      { type: "update", body: "late" },
      { type: "working" },
    ]) {
      const late = await respond(id, body);
      expect([late.status, codeOf(late)]).toEqual([400, "interaction_expired"]);
    }
    expect((await bodyOf(postId)).revision).toBe(1);
  });

  it("is erased with its channel, and an interaction with its bot", async () => {
    await respond(id, { type: "private", body: "a secret" });
    await asOwner("DELETE", `/v1/bot-api/bots/${world.botId}`);
    const gone = await read(id);
    expect([gone.status, codeOf(gone)]).toEqual([404, "interaction_not_found"]);
    await asOwner("DELETE", `/v1/channels/${world.channelId}`);
    expect(JSON.stringify(await feedItems())).not.toContain("a secret");
  });
});
