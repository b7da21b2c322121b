import { readFileSync } from "node:fs";
import { BotClient, isUpdateOf, OwnerClient, PlatformClient, ServiceError } from "@botyard/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type RealService, startService } from "../support/service.js";

interface Operation {
  operationId: string;
  tags: string[];
}

const { paths } = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};
/** Operations by the name of a webhook are those of the one without a name, with the option `webhook`. */
const BY_NAME = "/webhooks/{name}";
const operations = Object.entries(paths)
  .filter(([path]) => !path.includes(BY_NAME))
  .flatMap(([, methods]) => Object.values(methods));

/** Methods beyond the operations: they iterate over a list, or find an item in it. */
const BEYOND_THE_OPERATIONS = {
  owner: ["bots", "listedBots", "channels", "posts", "findBot", "findChannel", "createPosts", "emitEvents"],
  platform: ["as", "feed"],
  "bot-runtime": ["channels", "updates", "findChannel"],
};

/** `feed` waits for the next page of `readFeed`, which also works where a proxy holds streams back. */
const FOLLOWED_BY_READS = "streamFeed";

function methodsOf(prototype: object | null): string[] {
  if (!prototype || prototype === Object.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  return [...own, ...methodsOf(Object.getPrototypeOf(prototype) as object | null)];
}

describe("the clients have one method for each operation", () => {
  it.each([
    ["owner", OwnerClient],
    ["platform", PlatformClient],
    ["bot-runtime", BotClient],
  ] as const)("of %s", (tag, client) => {
    const wanted = operations
      .filter(({ tags, operationId }) => tags.includes(tag) && operationId !== FOLLOWED_BY_READS)
      .map(({ operationId }) => operationId);
    expect(wanted.length).toBeGreaterThan(1);
    expect(methodsOf(client.prototype).sort()).toEqual([...wanted, ...BEYOND_THE_OPERATIONS[tag]].sort());
  });
});

it("each operation by the name of a webhook is one of the webhook without a name", () => {
  const pairs = Object.entries(paths).filter(([path]) => path.includes(BY_NAME));
  expect(pairs.length).toBeGreaterThan(5);
  for (const [path, methods] of pairs) {
    const twin = paths[path.replace(BY_NAME, "/webhook")] ?? paths[path.replace(BY_NAME, "")];
    expect(Object.keys(twin ?? {}), path).toEqual(Object.keys(methods));
  }
});

describe("against the real service", () => {
  let service: RealService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("an owner makes, edits, watches and deletes a bot", async () => {
    const { owner } = service;
    const { bot, token } = await owner.createBot({ username: "Watched", display_name: "W" });
    expect(token.token).toMatch(/^bot_/);
    expect(await owner.getBot(bot.id)).toEqual(bot);
    expect(await owner.editBot(bot.id, { description: "seen" })).toMatchObject({ description: "seen" });
    expect((await owner.listBots()).items.map(({ id }) => id)).toContain(bot.id);

    expect((await owner.overview()).items.at(-1)).toMatchObject({
      bot: { id: bot.id },
      health: "no_webhook",
    });

    const channel = await owner.createChannel({ slug: "watched", title: "Watched" });
    expect(await owner.getChannel(channel.id)).toEqual(channel);
    expect(await owner.editChannel(channel.id, { title: "New" })).toMatchObject({ title: "New" });
    expect(await owner.attachBot(bot.id, channel.id)).toMatchObject({ role: "moderator" });
    expect(await owner.attachBot(bot.id, channel.id, { role: "reader" })).toMatchObject({ role: "reader" });
    expect((await owner.listBotChannels(bot.id)).items).toMatchObject([
      { id: channel.id, bot_role: "reader" },
    ]);
    const changed = await owner.putChannelBots(channel.id, [{ id: bot.id, role: "moderator" }]);
    expect(changed).toEqual({ attached: [], detached: [], role_changed: [bot.id] });
    expect(await owner.putChannelBots(channel.id, [bot.id])).toMatchObject({ role_changed: [] });

    const post = await owner.createChannelPost(channel.id, { body: "hello", media: [{ kind: "image" }] });
    expect((await owner.listChannelPosts(channel.id)).items).toEqual([post]);
    expect((await owner.listBotUpdates(bot.id, { limit: 1 })).items).toMatchObject([{ update_id: 1 }]);
    const found = { channelId: channel.id, eventType: "channel.post_created", since: post.created_at };
    expect((await owner.listBotUpdates(bot.id, { search: "HELL", ...found })).items).toHaveLength(1);
    expect(await owner.listBotUpdates(bot.id, { search: "hi" })).toEqual({ items: [] });
    expect((await owner.listPostUpdates(channel.id, post.id)).items).toMatchObject([
      { bot: { id: bot.id }, update: { update_id: 1, channel_id: channel.id, state: "pending" } },
    ]);
    expect(await owner.getBotStats(bot.id)).toMatchObject({ total_updates: 1 });
    expect((await owner.listBotConsumers(bot.id)).items).toEqual([]);

    const webhook = { url: "http://127.0.0.1:1/hook", secret_token: "s" };
    expect(await owner.putWebhook(bot.id, webhook)).toMatchObject({
      url: webhook.url,
      has_secret_token: true,
    });
    expect(await owner.getWebhook(bot.id)).toMatchObject({ url: webhook.url });
    expect((await owner.listWebhookErrors(bot.id)).items).toBeInstanceOf(Array);
    expect((await owner.readTimeline(bot.id)).items).toHaveLength(60);
    expect(await owner.readTimeline(bot.id, { range: "7d" })).toMatchObject({ interval_seconds: 3600 });
    expect((await owner.listUpdateAttempts(bot.id, 1)).items).toBeInstanceOf(Array);
    expect(await owner.replayWebhook(bot.id, { limit: 5 })).toMatchObject({ max_window: 100 });
    expect(await owner.replayWebhook(bot.id, { update_ids: [7] })).toMatchObject({ requeued: 0 });
    expect((await owner.listBotUpdates(bot.id, { before: 1 })).items).toEqual([]);
    expect((await owner.listBotUpdates(bot.id, { state: "failed" })).items).toEqual([]);
    expect((await owner.listWebhookErrors(bot.id, { before: 1 })).items).toEqual([]);
    expect(await owner.rotateWebhookSecret(bot.id, { overlap: "1h" })).toMatchObject({
      secret_token: expect.stringMatching(/^whsec_/),
    });
    expect(await owner.testWebhook(bot.id)).toMatchObject({ delivered: false, error: "connection refused" });
    await expect(owner.sendUpdateAgain(bot.id, 1)).rejects.toMatchObject({ code: "not_delivered" });
    expect(await owner.skipUpdate(bot.id, 1)).toMatchObject({ update_id: 1, state: "failed" });
    expect(await owner.pauseWebhook(bot.id)).toHaveProperty("paused_at");
    expect(await owner.resumeWebhook(bot.id)).not.toHaveProperty("paused_at");
    expect(await owner.deleteWebhook(bot.id)).toEqual({ status: "deleted" });

    expect(await owner.disableBot(bot.id)).toHaveProperty("disabled_at");
    expect(await owner.enableBot(bot.id)).not.toHaveProperty("disabled_at");
    expect((await owner.rotateBotToken(bot.id)).token).not.toBe(token.token);
    expect(await owner.detachBot(bot.id, channel.id)).toHaveProperty("status");
    expect(await owner.deleteBot(bot.id)).toEqual({ status: "deleted" });
    await expect(owner.getBot(bot.id)).rejects.toMatchObject({ name: "ServiceError", status: 404 });
  });

  it("a bot reads its identity, posts and polls", async () => {
    const { token, channel, me } = await makeWorld(service);
    const client = new BotClient(token, { url: `${service.url}/` });
    expect(await client.getMe()).toEqual(me);
    expect((await client.listMyChannels()).items).toMatchObject([{ id: channel.id }]);
    const post = await client.createBotPost(channel.id, { body: "hello" });
    expect(await client.pollUpdates({ timeout: 30 })).toMatchObject({
      items: [{ update_id: 1, payload: { post_id: post.id, author_username: me.username } }],
    });
    expect(await client.pollUpdates({ offset: 1 })).toEqual({ items: [] });
  });

  it("an owner edits and deletes posts, emits events, and says what a bot hears", async () => {
    const { owner } = service;
    const { bot, token, channel } = await makeWorld(service);
    const post = await owner.createChannelPost(channel.id, { body: "a" }, { idempotencyKey: "a" });
    expect(await owner.createChannelPost(channel.id, { body: "b" }, { idempotencyKey: "a" })).toEqual(post);
    const edited = await owner.editChannelPost(channel.id, post.id, { body: "b" }, { ifRevision: 1 });
    expect(edited).toMatchObject({ id: post.id, body: "b", revision: 2 });
    expect(await owner.getChannelPost(channel.id, post.id)).toEqual(edited);
    const conflict = owner.editChannelPost(channel.id, post.id, { body: "c" }, { ifRevision: 1 });
    await expect(conflict).rejects.toMatchObject({ code: "revision_conflict" });
    expect(await owner.deleteChannelPost(channel.id, post.id)).toEqual({ status: "deleted" });

    const opened = { event_type: "ticket.opened", payload: { ticket: 1 } };
    const event = await owner.emitChannelEvent(channel.id, opened, { idempotencyKey: "t" });
    expect(event).toMatchObject(opened);
    expect(await owner.emitChannelEvent(channel.id, opened, { idempotencyKey: "t" })).toEqual(event);
    const command = { event_type: "bot_command.start", payload: {} };
    expect(await owner.emitBotEvent(bot.id, command)).toMatchObject(command);

    expect(await owner.getSubscription(bot.id)).toMatchObject({ is_default: true });
    const wanted = { event_types: ["ticket.*"], posts: "mentions", own_posts: false } as const;
    const subscription = { ...wanted, event_types: [...wanted.event_types] };
    const preview = await owner.previewSubscription(bot.id, { channel_id: channel.id, ...subscription });
    expect(preview.items.map(({ event_type, heard }) => [event_type, heard])).toEqual([
      ["ticket.opened", true],
      ["channel.post_created", false],
    ]);
    expect(await owner.putSubscription(bot.id, subscription)).toEqual({ is_default: false, ...wanted });
    const client = new BotClient(token, { url: service.url });
    expect(await client.getMySubscription()).toEqual({ is_default: false, ...wanted });
    expect(await owner.deleteSubscription(bot.id)).toEqual({ status: "deleted" });
    const { items } = await client.pollUpdates();
    expect(items.map(({ event_type }) => event_type)).toEqual([
      "channel.post_created",
      "ticket.opened",
      "bot_command.start",
    ]);

    expect(await owner.deleteChannel(channel.id)).toEqual({ status: "deleted" });
    await expect(owner.getChannel(channel.id)).rejects.toMatchObject({ status: 404 });
  });

  it("reads lists that are longer than a page", async () => {
    const { channel } = await makeWorld(service);
    const wanted = Array.from({ length: 203 }, (_, number) => `post ${number}`);
    for (const body of wanted) await service.owner.createChannelPost(channel.id, { body });
    const bodies: string[] = [];
    for await (const { body } of service.owner.posts(channel.id)) bodies.push(body);
    expect(bodies).toEqual(wanted.toReversed());

    for (let i = 0; i < 101; i++) await service.owner.createChannel({ slug: `many-${i}`, title: "x" });
    const slugs: string[] = [];
    for await (const { slug } of service.owner.channels()) slugs.push(slug);
    expect(slugs.filter((slug) => slug.startsWith("many-"))).toHaveLength(101);
    const bots: string[] = [];
    for await (const { id } of service.owner.bots()) bots.push(id);
    expect(new Set(bots).size).toBe(bots.length);
  });

  it("finds a bot and a channel by name or id", async () => {
    const { bot, token, channel } = await makeWorld(service);
    const { owner } = service;
    const names = [bot.username, bot.username.toUpperCase(), bot.id];
    for (const name of names) expect(await owner.findBot(name)).toMatchObject({ id: bot.id });
    expect(await owner.findBot("nobody")).toBeUndefined();

    const other = await owner.createChannel({ slug: "not-attached", title: "x" });
    const client = new BotClient(token, { url: service.url });
    for (const name of [channel.slug, channel.id]) {
      expect(await owner.findChannel(name)).toMatchObject({ id: channel.id });
      expect(await client.findChannel(name)).toMatchObject({ id: channel.id });
    }
    expect(await owner.findChannel(channel.slug.toUpperCase())).toBeUndefined();
    expect(await owner.findChannel(other.slug)).toEqual(other);
    expect(await client.findChannel(other.slug)).toBeUndefined();
  });

  it("reads no page after the one with the channel", async () => {
    const asked: string[] = [];
    const ids = ["a", "b"].map((letter) => ({ id: letter, slug: letter }));
    const owner = new OwnerClient("token", {
      url: service.url,
      fetch: async (input) => {
        const after = new URL(new Request(input).url).searchParams.get("after");
        asked.push(after ?? "first");
        return Response.json({ items: after === null ? ids.slice(0, 1) : after === "a" ? ids.slice(1) : [] });
      },
    });
    expect(await owner.findChannel("b")).toEqual({ id: "b", slug: "b" });
    expect(asked).toEqual(["first", "a"]);
  });

  it("yields updates one by one, then new ones, until it is ended", async () => {
    const { token, channel } = await makeWorld(service);
    await service.owner.createChannelPost(channel.id, { body: "before" });
    const ending = new AbortController();
    const bodies: unknown[] = [];
    const client = new BotClient(token, { url: service.url });
    for await (const update of client.updates({ signal: ending.signal })) {
      if (isUpdateOf(update, "channel.post_created")) bodies.push(update.payload.body);
      if (bodies.length === 1) await service.owner.createChannelPost(channel.id, { body: "after" });
      else ending.abort();
    }
    expect(bodies).toEqual(["before", "after"]);
  });

  it("calls a token function before each request", async () => {
    let asked = 0;
    const owner = new OwnerClient(
      async () => {
        asked += 1;
        return service.ownerToken;
      },
      { url: service.url },
    );
    await owner.listBots();
    await owner.listBots();
    expect(asked).toBe(2);
  });

  it("passes on the service's message", async () => {
    const refused = await service.owner.createBot({ username: "no spaces" }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^the service said 400: username/),
    });
    const stranger = new BotClient("bot_wrong", { url: service.url });
    await expect(stranger.getMe()).rejects.toMatchObject({
      status: 401,
      message: expect.stringMatching(/^the service said 401: this operation takes a bot token/),
    });
  });
});
