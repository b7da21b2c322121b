import { setTimeout as sleep } from "node:timers/promises";
import { BotClient, type LogReset } from "@botyard/sdk";
import { expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { describeBoth } from "../support/both-services.js";

describeBoth((open) => {
  it("shows a bot its identity, channels, posts and updates in the same shapes", async () => {
    const { url, token, channelId, username, publish } = await open();
    const client = new BotClient(token, { url });
    expect(await client.getMe()).toEqual({
      id: expect.any(String),
      bot_user_id: expect.any(String),
      username,
      display_name: expect.any(String),
    });
    const { items } = await client.listMyChannels();
    expect(items).toMatchObject([{ id: channelId, bot_role: "moderator", description: "" }]);

    await publish("from outside");
    const post = await client.createBotPost(channelId, { body: "mine", media: [{ kind: "image" }] });
    expect(post).toMatchObject({ channel_id: channelId, author_username: username, body: "mine" });
    const updates = (await client.pollUpdates()).items;
    expect(updates).toEqual([
      {
        update_id: 1,
        event_type: "channel.post_created",
        payload: {
          body: "from outside",
          channel_id: channelId,
          post_id: expect.any(String),
          author_username: expect.any(String),
          author: { type: "owner", id: expect.any(String), username: expect.any(String) },
        },
        created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
      },
      {
        update_id: 2,
        event_type: "channel.post_created",
        payload: {
          body: "mine",
          channel_id: channelId,
          post_id: post.id,
          author_username: username,
          media: [{ kind: "image" }],
          author: { type: "bot", id: (await client.getMe()).id, username },
        },
        created_at: expect.any(String),
      },
    ]);
    expect((await client.pollUpdates({ offset: 1, limit: 1 })).items).toEqual([updates[1]]);
    expect((await client.pollUpdates({ limit: 1 })).items).toEqual([updates[0]]);
  });

  it("keeps what a bot hears to what it asks for", async () => {
    const { url, token, channelId, username, publish } = await open();
    const client = new BotClient(token, { url });
    const heard = async () => (await client.pollUpdates()).items.length;
    const wanted = { event_types: ["channel.post_created"], posts: "mentions" as const, own_posts: false };
    expect(await client.putMySubscription(wanted)).toEqual({ is_default: false, ...wanted });
    expect(await client.getMySubscription()).toEqual({ is_default: false, ...wanted });
    for (const body of ["no", `not me@${username}`, `hello @${username.toUpperCase()}.`]) await publish(body);
    await client.createBotPost(channelId, { body: `I am @${username}` });
    expect(await heard()).toBe(1);
    await publish(`I am not @${username}`, { id: "user-7", username });
    expect(await heard()).toBe(2);
    await client.putMySubscription({ event_types: ["ticket.*"] });
    await publish("not any more");
    expect(await heard()).toBe(2);
    const wrong = client.putMySubscription({ event_types: ["*.opened"] });
    await expect(wrong).rejects.toMatchObject({ status: 400 });
  });

  it("tells a bot that asks for it of edits and deletions by others, and not of its own", async () => {
    const { url, token, channelId, publish, edit, remove } = await open();
    const client = new BotClient(token, { url });
    const event_types = ["channel.post_created", "channel.post_edited", "channel.post_deleted"];
    await client.putMySubscription({ event_types, own_posts: false });
    const { id } = await publish("one");
    await edit(id, "two");
    const own = await client.createBotPost(channelId, { body: "mine" });
    await client.editBotPost(channelId, own.id, { body: "still mine" });
    await client.deleteBotPost(channelId, own.id);
    expect((await client.pollUpdates()).items[1]).toMatchObject({
      event_type: "channel.post_edited",
      payload: {
        post_id: id,
        channel_id: channelId,
        revision: 2,
        body: "two",
        author_username: expect.stringMatching(/./),
        author: { type: "owner", id: expect.any(String), username: expect.any(String) },
        edited_at: expect.stringMatching(/^20.*Z$/),
      },
    });
    await remove(id);
    const erased = { post_id: id, channel_id: channelId, body: "", author_username: "", deleted: true };
    expect((await client.pollUpdates()).items.map(({ payload }) => payload)).toEqual([
      erased,
      { ...erased, revision: 2, edited_at: expect.any(String) },
      { post_id: id, channel_id: channelId },
    ]);
  });

  it("lets a poll wait", async () => {
    const { url, token, publish } = await open();
    const waiting = new BotClient(token, { url }).pollUpdates({ timeout: 30 });
    await sleep(20);
    await publish("now");
    expect((await waiting).items).toHaveLength(1);
    expect(await new BotClient(token, { url }).pollUpdates({ offset: 1, timeout: 1 })).toEqual({ items: [] });
  });

  it("tells a poller beyond the end of the log where the end is", async () => {
    const { url, token, publish } = await open();
    const client = new BotClient(token, { url });
    await publish("one");
    expect(await client.pollUpdates({ offset: 500, timeout: 1 })).toEqual({ items: [], logHead: 1 });
    expect(await client.pollUpdates({ offset: 2 })).toEqual({ items: [], logHead: 1 });
    expect(await client.pollUpdates({ offset: 1 })).toEqual({ items: [] });
  });

  it("begins a stream with an offset beyond the log at its end, and continues from there", async () => {
    const { url, token, publish } = await open();
    await publish("one");
    const resets: LogReset[] = [];
    const client = new BotClient(token, { url });
    const updates = client.streamUpdates({ offset: 500, onLogReset: (reset) => resets.push(reset) });
    const next = updates.next();
    await eventually("the reset is told", () => resets.length > 0);
    await publish("two");
    expect((await next).value).toMatchObject({ update_id: 2 });
    expect(resets).toEqual([{ offset: 500, head: 1 }]);
    await updates.return();
    const refusing = client.streamUpdates({
      offset: 500,
      onLogReset() {
        throw new Error("not so");
      },
    });
    await expect(refusing.next()).rejects.toThrow("not so");
  });
});
