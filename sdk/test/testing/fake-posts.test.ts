import { BotClient, type Update } from "@botyard/sdk";
import { expect, it } from "vitest";
import { describeBoth } from "../support/both-services.js";

describeBoth((open) => {
  it("publishes once for one key, and lets a bot edit and delete its own posts", async () => {
    const { url, token, channelId, username, publish } = await open();
    const client = new BotClient(token, { url });
    const idempotencyKey = "once";
    const first = await client.createBotPost(channelId, { body: "first" }, { idempotencyKey });
    expect(await client.createBotPost(channelId, { body: "other" }, { idempotencyKey })).toEqual(first);

    const media = [{ kind: "image" }];
    const edited = await client.editBotPost(channelId, first.id, { media }, { ifRevision: 1 });
    expect(edited).toEqual({
      ...first,
      author: { type: "bot", id: expect.any(String), username },
      media,
      revision: 2,
      edited_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(await client.getBotPost(channelId, first.id)).toEqual(edited);
    const late = client.editBotPost(channelId, first.id, { body: "late" }, { ifRevision: 1 });
    await expect(late).rejects.toMatchObject({ status: 400, code: "revision_conflict" });
    const nothing = client.editBotPost(channelId, first.id, {});
    await expect(nothing).rejects.toMatchObject({ status: 400, code: "nothing_to_change" });
    const plain = await client.editBotPost(channelId, first.id, { body: "new", media: [] });
    expect(plain).toMatchObject({ body: "new", revision: 3 });
    expect(plain).not.toHaveProperty("media");

    await publish("of another");
    const [, other] = (await client.pollUpdates()).items;
    const { post_id: foreignId } = (other as Update<"channel.post_created">).payload;
    const foreign = client.editBotPost(channelId, foreignId, { body: "x" });
    await expect(foreign).rejects.toMatchObject({ status: 403, code: "not_author" });
    expect(await client.getBotPost(channelId, foreignId)).toMatchObject({ body: "of another" });
    await expect(client.getBotPost(channelId, channelId)).rejects.toMatchObject({ status: 404 });
    await expect(client.getBotPost("nowhere", first.id)).rejects.toMatchObject({ status: 403 });
    expect(await client.deleteBotPost(channelId, first.id)).toEqual({ status: "deleted" });
    await expect(client.getBotPost(channelId, first.id)).rejects.toMatchObject({ status: 404 });
    const [erased] = (await client.pollUpdates()).items;
    expect(erased?.payload).toMatchObject({
      post_id: first.id,
      body: "",
      author_username: "",
      deleted: true,
    });
    expect(erased?.payload).not.toHaveProperty("author");
    const badKey = client.createBotPost(channelId, { body: "x" }, { idempotencyKey: "two words" });
    await expect(badKey).rejects.toMatchObject({ status: 400 });
    expect(await client.getMySubscription()).toMatchObject({ is_default: true, posts: "all" });
  });

  it("changes a post once for one key", async () => {
    const { url, token, channelId } = await open();
    const client = new BotClient(token, { url });
    const [post, other] = [
      await client.createBotPost(channelId, { body: "one" }),
      await client.createBotPost(channelId, { body: "other" }),
    ];
    const first = { ifRevision: 1, idempotencyKey: "a" };
    const edited = await client.editBotPost(channelId, post.id, { body: "two" }, first);
    const second = await client.editBotPost(channelId, post.id, { body: "three" }, { idempotencyKey: "b" });
    expect(second.revision).toBe(3);
    // Whatever the revision and the body are by now.
    expect(await client.editBotPost(channelId, post.id, { body: "four" }, first)).toEqual(edited);
    expect(await client.getBotPost(channelId, post.id)).toEqual(second);
    // Each post has keys of its own, for either.
    expect(await client.editBotPost(channelId, other.id, { body: "two" }, first)).toMatchObject({
      revision: 2,
    });
    for (let calls = 0; calls < 2; calls += 1)
      expect(await client.deleteBotPost(channelId, post.id, first)).toEqual({ status: "deleted" });
    const gone = { status: 404, code: "post_not_found" };
    await expect(client.deleteBotPost(channelId, post.id)).rejects.toMatchObject(gone);
    await expect(client.deleteBotPost(channelId, post.id, { idempotencyKey: "b" })).rejects.toMatchObject(
      gone,
    );
    await expect(client.editBotPost(channelId, post.id, { body: "x" }, first)).rejects.toMatchObject(gone);
    const wrong = client.editBotPost(channelId, other.id, { body: "x" }, { idempotencyKey: "two words" });
    await expect(wrong).rejects.toMatchObject({ status: 400, code: "invalid_idempotency_key" });
  });

  it("limits how often a post is edited", async () => {
    const { url, token, channelId } = await open();
    const client = new BotClient(token, { url, retries: 0 });
    const { id } = await client.createBotPost(channelId, { body: "x" });
    const edits = Array.from({ length: 9 }, (_, n) => client.editBotPost(channelId, id, { body: `${n}` }));
    const refused = (await Promise.allSettled(edits)).filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { status: 429, retryAfterMs: expect.any(Number) } });
  });

  it("answers posts, which bots that hear mentions only hear of their own", async () => {
    const { url, token, channelId, publish } = await open();
    const client = new BotClient(token, { url });
    await client.putMySubscription({ event_types: ["*"], posts: "mentions", own_posts: true });
    const question = await publish("from outside");
    const own = await client.createBotPost(channelId, { body: "mine" });
    const media = [{ kind: "image" }];
    const answer = await client.createBotPost(channelId, { body: "", media, reply_to: own.id });
    const author = { type: "bot", id: expect.any(String), username: expect.any(String) };
    const reply_to = { post_id: own.id, author };
    expect(answer).toMatchObject({ body: "", media, reply_to });
    await client.createBotPost(channelId, { body: "to others", reply_to: question.id });
    expect((await client.pollUpdates()).items.map(({ payload }) => payload)).toMatchObject([
      { post_id: answer.id, body: "", reply_to },
    ]);
    const refusals = [
      { body: "", reply_to: own.id },
      { body: " ", media },
      { body: "x", reply_to: channelId },
    ];
    for (const content of refusals)
      await expect(client.createBotPost(channelId, content)).rejects.toMatchObject({ status: 400 });
    const edited = client.editBotPost(channelId, answer.id, { media: [] });
    await expect(edited).rejects.toMatchObject({ status: 400 });
    expect(await client.editBotPost(channelId, answer.id, { body: "text" })).toMatchObject({ reply_to });
  });

  it("refuses the posts of a reader", async () => {
    const { url, token, readOnlyChannel } = await open();
    const client = new BotClient(token, { url });
    const id = await readOnlyChannel();
    expect((await client.listMyChannels()).items.at(-1)).toMatchObject({ id, bot_role: "reader" });
    const refused = client.createBotPost(id, { body: "x" });
    await expect(refused).rejects.toMatchObject({ status: 403, code: "read_only" });
  });
});
