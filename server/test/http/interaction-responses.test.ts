import { beforeEach, describe, expect, it } from "vitest";
import { INTERACTION_MS } from "#botyard/domain/events/interaction.js";
import type { RunningApi } from "../support/api.js";
import { type Answer, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { approve, codeOf, onPressedPost, reject, user } from "../support/pressed-post.js";
import { connectSql } from "../support/stored-rows.js";

let api: RunningApi;
let world: World;
let postId: string;
const { asOwner, bodyOf, feedItems, press, read, respond, updatesOf } = onPressedPost((pressed) => {
  ({ api, world, postId } = pressed);
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
