import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Bot,
  BotClient,
  button,
  type Components,
  type Interaction,
  type LogReset,
  link,
  type PostComponent,
  row,
  select,
  type Update,
} from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { makeWorld, type RealService, startService } from "../support/service.js";

interface Place {
  /** The id of another channel, which the bot only reads. */
  readOnlyChannel(): Promise<string>;
  url: string;
  token: string;
  channelId: string;
  username: string;
  /** As the owner, or for a user. */
  publish(body: string, author?: { id: string; username: string }): Promise<{ id: string }>;
  /** As the owner. */
  edit(postId: string, body: string): Promise<unknown>;
  remove(postId: string): Promise<unknown>;
  /** Under a post or under a private response; as the user Zoë unless given. */
  press(
    under: { postId: string } | { responseId: string },
    id: string,
    values?: string[],
    user?: Interaction["user"],
  ): Promise<Interaction>;
  choose(name: string, options: Record<string, unknown>, inChannel?: string): Promise<Interaction>;
  read(interaction: Interaction): Promise<Interaction>;
}

const ZOE = { id: "user-7", username: "Zoë" };
const BOB = { id: "user-8", username: "Bob" };

let real: RealService;
let fake: FakeService;
beforeAll(async () => {
  real = await startService();
});
afterAll(() => real.stop());
beforeEach(async () => {
  fake = await startFakeService();
});
afterEach(() => fake.stop());

const places: [string, () => Promise<Place>][] = [
  [
    "the real service",
    async () => {
      const { bot, token, channel, me } = await makeWorld(real);
      const readOnlyChannel = async () => {
        const { id } = await real.owner.createChannel({
          slug: `read-only-${bot.id}`,
          title: "Read only",
        });
        await real.owner.attachBot(bot.id, id, { role: "reader" });
        return id;
      };
      const publish: Place["publish"] = (body, author) =>
        real.owner.createChannelPost(channel.id, { body, ...(author && { author }) });
      return {
        url: real.url,
        token,
        channelId: channel.id,
        username: me.username,
        publish,
        readOnlyChannel,
        edit: (postId, body) => real.owner.editChannelPost(channel.id, postId, { body }),
        remove: (postId) => real.owner.deleteChannelPost(channel.id, postId),
        press: (under, id, values, user = ZOE) =>
          real.owner.createInteraction(channel.id, {
            kind: "component",
            user,
            component: { id, ...(values && { values }) },
            ...("postId" in under ? { post: { id: under.postId } } : { response_id: under.responseId }),
          }),
        choose: (name, options, inChannel = channel.id) =>
          real.owner.createInteraction(inChannel, {
            kind: "command",
            user: ZOE,
            bot_id: bot.id,
            command: { name, options },
          }),
        read: (interaction) => real.owner.getInteraction(channel.id, interaction.id),
      };
    },
  ],
  [
    "the fake service",
    async () => {
      const { id } = fake.addChannel("news");
      const readOnlyChannel = async () => fake.addChannel("read-only", "reader").id;
      const publish: Place["publish"] = async (body, author) =>
        fake.publish(id, body, author && { type: "user", ...author });
      const { url, token } = fake;
      return {
        url,
        token,
        channelId: id,
        username: "test-bot",
        publish,
        readOnlyChannel,
        edit: async (postId, body) => fake.edit({ id: postId }, body),
        remove: async (postId) => fake.delete({ id: postId }),
        press: async (under, componentId, values, user = ZOE) =>
          fake.press({ id: "postId" in under ? under.postId : under.responseId }, componentId, {
            user,
            ...(values && { values }),
          }),
        choose: async (name, options, inChannel = id) => fake.choose(inChannel, name, options, { user: ZOE }),
        read: async (interaction) =>
          fake.interactions.find((one) => one.id === interaction.id) as Interaction,
      };
    },
  ],
];

/** If the fake answered differently from the service, tests would pass and bots fail: the same tests run against both. */
describe.each(places)("%s", (_, open) => {
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

  it("refuses the posts of a reader", async () => {
    const { url, token, readOnlyChannel } = await open();
    const client = new BotClient(token, { url });
    const id = await readOnlyChannel();
    expect((await client.listMyChannels()).items.at(-1)).toMatchObject({ id, bot_role: "reader" });
    const refused = client.createBotPost(id, { body: "x" });
    await expect(refused).rejects.toMatchObject({ status: 403, code: "read_only" });
  });

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

  it("limits how often a post is edited", async () => {
    const { url, token, channelId } = await open();
    const client = new BotClient(token, { url, retries: 0 });
    const { id } = await client.createBotPost(channelId, { body: "x" });
    const edits = Array.from({ length: 9 }, (_, n) => client.editBotPost(channelId, id, { body: `${n}` }));
    const refused = (await Promise.allSettled(edits)).filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { status: 429, retryAfterMs: expect.any(Number) } });
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

  it("refuses the same things with the same statuses", async () => {
    const { url, token, channelId } = await open();
    const ask = async (method: string, path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await fetch(`${url}${path}`, { method, headers, ...init });
      const body = (await response.json()) as { error?: unknown };
      return [response.status, typeof body.error];
    };
    const posts = `/v1/bot-api/channels/${channelId}/posts`;
    const refused: [string, string, RequestInit, number][] = [
      ["GET", "/v1/bot-api/me", { headers: {} }, 401],
      ["GET", "/v1/bot-api/me", { headers: { authorization: "Bearer bot_other" } }, 401],
      ["GET", "/v1/bot-api/updates?limit=0", {}, 400],
      ["GET", "/v1/bot-api/updates?limit=101", {}, 400],
      ["GET", "/v1/bot-api/updates?offset=-1", {}, 400],
      ["GET", "/v1/bot-api/updates?timeout=31", {}, 400],
      ["GET", "/v1/bot-api/updates?timeout=x", {}, 400],
      ["POST", posts, { body: "{" }, 400],
      ["POST", posts, { body: "{}" }, 400],
      ["POST", posts, { body: '{"body":"  "}' }, 400],
      ["POST", posts, { body: JSON.stringify({ body: "a\0b" }) }, 400],
      ["POST", posts, { body: '{"body":"x","reply_to":1}' }, 400],
      ["POST", posts, { body: '{"body":"x","media":["x"]}' }, 400],
      [
        "POST",
        posts,
        { body: JSON.stringify({ body: "x", media: Array.from({ length: 11 }, () => ({})) }) },
        400,
      ],
      ["POST", posts, { body: JSON.stringify({ body: "x", media: [{ alt: "x".repeat(17_000) }] }) }, 400],
      ["POST", posts, { body: JSON.stringify({ body: "x".repeat(4_097) }) }, 400],
      ["POST", "/v1/bot-api/channels/nowhere/posts", { body: '{"body":"x"}' }, 403],
      ["GET", "/v1/bot-api/nothing", {}, 404],
    ];
    for (const [method, path, init, status] of refused) {
      expect([path, init, ...(await ask(method, path, init))]).toEqual([path, init, status, "string"]);
    }
  });

  it("keeps the commands that a bot offers", async () => {
    const { url, token } = await open();
    const client = new BotClient(token, { url });
    expect(await client.getMyCommands()).toEqual({ items: [] });
    const option = { name: "city", type: "string", description: "Where", required: true } as const;
    const weather = { name: "weather", description: "Tell the weather", options: [option] };
    expect(await client.putMyCommands([weather])).toEqual({ items: [weather] });
    const withChoices = (choices: unknown) => ({ ...weather, options: [{ ...option, choices }] });
    const choice = { label: "Oslo", value: "oslo" };
    const wrong = [
      { ...weather, name: "Weather" },
      { ...weather, description: "" },
      { ...weather, description: "a\0b" },
      { ...weather, description: "🌦".repeat(201) },
      { ...weather, descriptions: { de: "" } },
      { ...weather, descriptions: { de: 1 } },
      { ...weather, descriptions: { "?": "Sagt das Wetter" } },
      { ...weather, options: [{ ...option, required: "yes" }] },
      withChoices([]),
      withChoices([choice, choice]),
      withChoices([{ value: "oslo" }]),
      withChoices(Array.from({ length: 26 }, (_, index) => ({ label: "x", value: `${index}` }))),
    ];
    for (const command of wrong) {
      const refused = client.putMyCommands([command as typeof weather]);
      await expect(refused, JSON.stringify(command)).rejects.toMatchObject({ status: 400 });
    }
    const described = { ...weather, description: "🌦".repeat(150), descriptions: { "pt-BR": "Diz o tempo" } };
    const large = Array.from({ length: 75 }, (_, index) => ({ ...described, name: `weather-${index}` }));
    await expect(client.putMyCommands(large)).rejects.toMatchObject({ code: "too_large" });
    expect(await client.putMyCommands([described])).toEqual({ items: [described] });
    await client.putMyCommands([weather]);
    await expect(client.putMyCommands([weather, weather])).rejects.toMatchObject({
      code: "invalid_commands",
    });
    expect(await client.getMyCommands()).toEqual({ items: [weather] });
    expect(await client.putMyCommands([])).toEqual({ items: [] });
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

  const COMPONENTS: Components = [
    row(button("approve", "Approve", { value: "17" }), link("Changes", "https://example.com")),
    row(select("when", ["now", "tomorrow", "never"], { min: 1, max: 2 })),
  ];

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

  it("tells the bot of commands that are chosen, if it has them", async () => {
    const { url, token, choose, channelId, readOnlyChannel } = await open();
    const client = new BotClient(token, { url });
    const city = { name: "city", type: "string", description: "Where", required: true } as const;
    const choices = [{ label: "one", value: 1 }];
    const days = { name: "days", type: "integer", description: "How long", choices } as const;
    await client.putMyCommands([
      { name: "weather", description: "x", options: [city, { ...days, choices }] },
    ]);
    const options = { city: "Oslo", days: 1 };
    const { id } = await choose("weather", options);
    const { items } = await client.pollUpdates();
    expect(items[0]?.payload).toEqual({
      interaction_id: id,
      kind: "command",
      channel_id: channelId,
      bot_id: (await client.getMe()).id,
      user: ZOE,
      command: { name: "weather", options },
      expires_at: expect.any(String),
    });
    const refused: [string, object][] = [
      ["news", {}],
      ["weather", {}],
      ["weather", { city: 1 }],
      ["weather", { ...options, days: 2 }],
      ["weather", { ...options, days: 1.5 }],
      ["weather", { ...options, more: true }],
    ];
    for (const [name, given] of refused)
      await expect(choose(name, given as Record<string, unknown>)).rejects.toThrow();
    const whereItReads = choose("weather", options, await readOnlyChannel());
    await expect(whereItReads).rejects.toThrow("the bot is a reader in this channel: it could not respond");
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

describe("the fake service", () => {
  it("tests a bot that polls", async () => {
    const bot = new Bot(fake.token, { url: fake.url });
    bot.onPost((ctx) => ctx.replyTo({ body: ctx.payload.body.toUpperCase() }));
    const running = bot.start();
    const { id } = fake.addChannel("news");
    const { id: post_id } = fake.publish(id, "hello", "bob");
    await eventually("it has replied", () => fake.posts.length === 2);
    const answer = { body: "HELLO", author_username: "test-bot", reply_to: { post_id } };
    expect(fake.posts[1]).toMatchObject(answer);
    await bot.stop();
    await running;
  });

  it("fails as scripted", async () => {
    fake.answerNext({ status: 502, body: "<html>" }, 2);
    const client = new BotClient(fake.token, { url: fake.url, retries: 0 });
    for (let i = 0; i < 2; i++) await expect(client.getMe()).rejects.toMatchObject({ name: "AnswerError" });
    expect(await client.getMe()).toHaveProperty("id");
  });

  it("delivers by webhook, and repeats refused updates", async () => {
    const heard: string[] = [];
    let fails = true;
    const bot = new Bot(fake.token, { url: fake.url }).catch(() => {});
    bot.on("ticket.*", (ctx) => {
      if (fails) throw new Error("not yet");
      heard.push(ctx.update.event_type);
    });
    const server = createServer(webhookHandler(bot, { secret: "s" })).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    fake.append("ticket.closed", { by: "alice" });
    expect(await fake.deliver(url, "s")).toEqual([{ update_id: 1, status: 500 }]);
    fails = false;
    expect(await fake.deliver(url, "s")).toEqual([{ update_id: 1, status: 200 }]);
    expect(await fake.deliver(url, "s")).toEqual([]);
    expect(heard).toEqual(["ticket.closed"]);
    server.close();
    server.closeAllConnections();
  });
});
