import { beforeEach, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import type { World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { engine } from "../support/engines.js";
import { codeOf, onPressedPost } from "../support/pressed-post.js";
import { connectSql } from "../support/stored-rows.js";

let api: RunningApi;
let world: World;
let postId: string;
const { asOwner, bodyOf, press, read, respond } = onPressedPost((pressed) => {
  ({ api, world, postId } = pressed);
});

describe("a response", () => {
  let id: string;
  beforeEach(async () => {
    id = (await press({ id: "approve:17" })).body.id;
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
});
