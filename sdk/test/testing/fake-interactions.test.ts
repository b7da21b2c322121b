import {
  BotClient,
  button,
  type Components,
  type Interaction,
  link,
  type PostComponent,
  row,
  select,
} from "@botyard/sdk";
import { expect, it } from "vitest";
import { BOB, describeBoth, ZOE } from "../support/both-services.js";

const COMPONENTS: Components = [
  row(button("approve", "Approve", { value: "17" }), link("Changes", "https://example.com")),
  row(select("when", ["now", "tomorrow", "never"], { min: 1, max: 2 })),
];

describeBoth((open) => {
  it("tells the bot of presses, whatever it subscribes to", async () => {
    const { url, token, channelId, press, read, publish } = await open();
    const client = new BotClient(token, { url });
    await client.putMySubscription({ event_types: ["ticket.*"] });
    const content = { body: "17?", components: COMPONENTS };
    const { id: postId, components } = await client.createBotPost(channelId, content);
    expect(components).toEqual(COMPONENTS);
    const pressed = await press({ postId }, "approve");
    await press({ postId }, "when", ["never", "now"]);
    const payload = {
      interaction_id: pressed.id,
      kind: "component",
      channel_id: channelId,
      bot_id: (await client.getMe()).id,
      user: ZOE,
      component: { id: "approve", values: ["17"] },
      post: { id: postId, revision: 1 },
      expires_at: pressed.expires_at,
    };
    const { items } = await client.pollUpdates();
    expect(items).toMatchObject([
      { event_type: "interaction.created" },
      { event_type: "interaction.created" },
    ]);
    expect(items[0]?.payload).toEqual(payload);
    expect(items[1]?.payload).toMatchObject({ component: { id: "when", values: ["never", "now"] } });
    const { interaction_id: id, ...same } = payload;
    expect(await read(pressed)).toMatchObject({ id, ...same, state: "waiting", responses: [] });
    const { id: others } = await publish("of somebody else");
    const refused: [string, string, string[]?][] = [
      [postId, "nothing"],
      [postId, "approve", ["17"]],
      [postId, String(components?.[0]?.[1]?.id)],
      [postId, "when"],
      [postId, "when", ["now", "now"]],
      [postId, "when", ["now", "tomorrow", "never"]],
      [postId, "when", ["later"]],
      [others, "approve"],
    ];
    for (const [postId, component, values] of refused)
      await expect(press({ postId }, component, values)).rejects.toThrow();
  });

  it("takes five responses, each once", async () => {
    const { url, token, channelId, press, read } = await open();
    const client = new BotClient(token, { url });
    const { id: postId } = await client.createBotPost(channelId, { body: "17?", components: COMPONENTS });
    const pressed = await press({ postId }, "approve");
    const respond = (response: Parameters<typeof client.respondToInteraction>[1], key = "") =>
      client.respondToInteraction(pressed.id, response, key ? { idempotencyKey: key } : {});
    await respond({ type: "working" });
    expect((await read(pressed)).state).toBe("working");
    const changes = { body: "17 is approved", components: [] };
    const { response, post } = await respond({ type: "update", ...changes }, "a");
    expect(post).toMatchObject({ id: postId, body: "17 is approved", revision: 2 });
    expect(post).not.toHaveProperty("components");
    expect(response).toEqual({
      id: expect.any(String),
      type: "update",
      post: { id: postId, revision: 2 },
      created_at: expect.any(String),
    });
    expect(await respond({ type: "update", body: "again" }, "a")).toEqual({ response });
    const answered = await respond({ type: "private", body: "Thank you", components: COMPONENTS });
    expect(answered).toMatchObject({ response: { body: "Thank you", components: COMPONENTS } });
    const said = await respond({ type: "post", body: "Deploying" });
    expect(said).toMatchObject({
      response: { type: "post", post: { id: said.post?.id, revision: 1 } },
      post: { body: "Deploying", channel_id: channelId },
    });
    expect(await press({ responseId: answered.response.id }, "approve")).toMatchObject({
      response_id: answered.response.id,
      component: { id: "approve", values: ["17"] },
    });
    // What is private is for its user alone, whatever they are called.
    for (const user of [BOB, { ...BOB, username: ZOE.username }])
      await expect(press({ responseId: answered.response.id }, "approve", undefined, user)).rejects.toThrow(
        /only the user whom a private response is for/,
      );
    const renamed = { ...ZOE, username: "Zoe" };
    expect(await press({ responseId: answered.response.id }, "approve", undefined, renamed)).toMatchObject({
      user: renamed,
    });
    const wrong: [Parameters<typeof client.respondToInteraction>[1], string][] = [
      [{ type: "private" }, "blank_body"],
      [{ type: "post", body: "" }, "blank_body"],
      [{ type: "update" }, "nothing_to_change"],
      [{ type: "working", body: "x" }, "invalid_input"],
      [{ type: "other" as never, body: "x" }, "invalid_input"],
      [{ type: "private", body: "x", components: [[{ type: "button", id: "a" }]] }, "invalid_components"],
    ];
    for (const [response, code] of wrong)
      await expect(respond(response), JSON.stringify(response)).rejects.toMatchObject({ status: 400, code });
    await respond({ type: "private", body: "the fifth" });
    await expect(respond({ type: "working" })).rejects.toMatchObject({ code: "too_many_responses" });
    const { state, responses } = await read(pressed);
    expect([state, ...responses.map(({ type }) => type)]).toEqual([
      "responded",
      "working",
      "update",
      "private",
      "post",
      "private",
    ]);
    await expect(client.respondToInteraction("nothing", { type: "working" })).rejects.toMatchObject({
      status: 404,
      code: "interaction_not_found",
    });
  });

  it("lets one of two who press at once decide", async () => {
    const { url, token, channelId, press, read, remove } = await open();
    const client = new BotClient(token, { url });
    const { id: postId } = await client.createBotPost(channelId, { body: "17?", components: COMPONENTS });
    const [zoe, bob] = [await press({ postId }, "approve"), await press({ postId }, "approve", [], BOB)];
    const first = { ifRevision: 1, idempotencyKey: "a" };
    const decided = await client.respondToInteraction(zoe.id, { type: "update", body: "by Zoë" }, first);
    expect(decided.post).toMatchObject({ body: "by Zoë", revision: 2 });
    const conflict = { status: 400, code: "revision_conflict" };
    const late: [Interaction, Parameters<typeof client.respondToInteraction>[1]][] = [
      [bob, { type: "update", body: "by Bob" }],
      // Before it is looked at what the edit would leave.
      [bob, { type: "update", body: "" }],
      [zoe, { type: "update", components: [] }],
    ];
    for (const [pressed, response] of late) {
      const refused = client.respondToInteraction(pressed.id, response, { ifRevision: 1 });
      await expect(refused).rejects.toMatchObject(conflict);
    }
    const empty = client.editBotPost(channelId, postId, { body: "" }, { ifRevision: 1 });
    await expect(empty).rejects.toMatchObject(conflict);
    expect(await client.getBotPost(channelId, postId)).toMatchObject({ body: "by Zoë", revision: 2 });
    expect((await read(bob)).responses).toEqual([]);
    // The same call again has the first answer, whatever the revision is by now.
    const again = await client.respondToInteraction(zoe.id, { type: "update", body: "by Zoë" }, first);
    expect(again).toEqual({ response: decided.response });
    // Only an update replaces a revision.
    const thanks = client.respondToInteraction(bob.id, { type: "private", body: "late" }, { ifRevision: 1 });
    expect(await thanks).toMatchObject({ response: { body: "late" } });
    const newer = await client.respondToInteraction(
      bob.id,
      { type: "update", body: "both" },
      { ifRevision: 2 },
    );
    expect(newer.post).toMatchObject({ body: "both", revision: 3 });
    await remove(postId);
    const gone = client.respondToInteraction(bob.id, { type: "update", body: "x" }, { ifRevision: 3 });
    await expect(gone).rejects.toMatchObject({ status: 404, code: "post_not_found" });
    const goneAgain = client.respondToInteraction(zoe.id, { type: "update", body: "by Zoë" }, first);
    await expect(goneAgain).rejects.toMatchObject({ status: 404, code: "post_not_found" });
  });

  it("refuses the same components", async () => {
    const { url, token, channelId } = await open();
    const client = new BotClient(token, { url });
    const a = button("a", "A");
    const wrong: unknown[][] = [
      [[a, a]],
      [[]],
      [[{ ...a, id: "two words" }]],
      [[{ ...a, style: "big" }]],
      [[{ ...a, label: "" }]],
      [[{ ...a, label: "a\0b" }]],
      [[{ ...a, url: `https://example.com/${"x".repeat(2_048)}` }]],
      [[{ ...a, options: [] }]],
      [[{ ...a, url: "ftp://example.com" }]],
      [[{ ...a, url: "https://example.com", value: "x" }]],
      [[select("s", [])]],
      [[select("s", ["x", "x"])]],
      [[select("s", ["x"], { max: 2 })]],
      [[select("s", ["x"], { min: 2, max: 1 })]],
      [[{ ...select("s", ["x"]), value: "x" }]],
      [Array.from({ length: 6 }, (_, index) => button(`${index}`, "x"))],
      Array.from({ length: 6 }, (_, index) => [button(`${index}`, "x")]),
    ];
    for (const rows of wrong) {
      const components = rows as PostComponent[][];
      const refused = client.createBotPost(channelId, { body: "x", components });
      await expect(refused, JSON.stringify(rows)).rejects.toMatchObject({ status: 400 });
    }
    const large = Array.from({ length: 5 }, (_, index) => [
      select(
        `s${index}`,
        Array.from({ length: 25 }, (_, n) => `${n}`.padStart(90, "x")),
      ),
    ]);
    const refused = client.createBotPost(channelId, { body: "x", components: large });
    await expect(refused).rejects.toMatchObject({ code: "too_large" });
    const unknown = { ...a, emoji: "🌦" } as PostComponent;
    const { id } = await client.createBotPost(channelId, { body: "x", components: [[unknown]] });
    expect(await client.editBotPost(channelId, id, { body: "y" })).toMatchObject({ components: [[a]] });
    const without = await client.editBotPost(channelId, id, { components: [] });
    expect(without).not.toHaveProperty("components");
  });
});
