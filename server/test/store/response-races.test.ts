import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_RESPONSES } from "#botyard/domain/events/interaction.js";
import type { BotRef, ResponseToAppend, Store } from "#botyard/store/store.js";
import { engine, openTwoStores, type TwoStores } from "../support/engines.js";
import { readAll, switchFeedOn } from "../support/feed-world.js";
import { aNotice, anEdit, aPost, detach, makeAttachedBot, NOW } from "../support/store-fixtures.js";
import { eraseUsers } from "../support/upkeep.js";

/** Responses to one interaction at the same time, by two instances where the engine has such. */
describe(`responses at once on ${engine.name}`, () => {
  let stores: TwoStores;
  let here: Store;
  let there: Store;
  let bot: BotRef;
  let channelId: string;
  let interactionId: string;
  beforeEach(async () => {
    stores = await openTwoStores();
    ({ here, there } = stores);
    await switchFeedOn(here);
    ({ ref: bot, channelId } = await makeAttachedBot(here));
    interactionId = randomUUID();
    const event = { ...aNotice("interaction.created"), id: interactionId };
    await here.appendInteraction({ ...bot, channelId, event });
  });
  afterEach(() => stores.close());

  const turns = (count: number) => Array.from({ length: count }, (_, n) => (n % 2 === 0 ? here : there));
  const response = (more: Partial<ResponseToAppend> = {}): ResponseToAppend => ({
    interactionId,
    channelId,
    botId: bot.botId,
    event: aNotice("interaction.responded"),
    idempotencyKey: undefined,
    ...more,
  });
  const withPost = (more: Partial<ResponseToAppend> = {}) =>
    response({ post: aPost(channelId, "hello", { botId: bot.botId }), ...more });
  const stored = async () => {
    const found = await here.findInteraction({ botId: bot.botId }, interactionId);
    const posts = (await here.listPosts(channelId, 100)) ?? [];
    const updates = await here.readUpdates(bot.botId, 0, 100);
    const told = (await readAll(here)).filter(({ eventType }) => eventType === "interaction.responded");
    expect(updates.map(({ updateId }) => updateId)).toEqual(updates.map((_, n) => n + 1));
    expect(told).toHaveLength(found?.responses.length ?? 0);
    // The interaction itself is an update too.
    expect(updates).toHaveLength(1 + posts.length);
    return { responses: found?.responses.length, posts: posts.length };
  };

  it("are five with their posts, and no more", async () => {
    const results = await Promise.all(turns(20).map((by) => by.appendResponse(withPost())));
    expect(results.filter((result) => result === true)).toHaveLength(MAX_RESPONSES);
    expect(results.filter((result) => result === "too many")).toHaveLength(20 - MAX_RESPONSES);
    expect(await stored()).toEqual({ responses: MAX_RESPONSES, posts: MAX_RESPONSES });
  });

  it("are refused, whatever they are, once the user of the interaction is erased", async () => {
    const erasedId = randomUUID();
    const user = { id: `user-${erasedId}`, username: "Zoë" };
    const event = { ...aNotice("interaction.created"), id: erasedId, payload: JSON.stringify({ user }) };
    await here.appendInteraction({ ...bot, channelId, event });
    // As it was prepared when the interaction was there still.
    const naming = { ...aNotice("interaction.responded"), payload: JSON.stringify({ user }) };
    const prepared = { interactionId: erasedId, event: naming };
    await here.eraseUser(user.id);
    await eraseUsers(here);
    const results = await Promise.all([
      here.appendResponse(response(prepared)),
      there.appendResponse(withPost(prepared)),
      there.appendResponse(response({ ...prepared, idempotencyKey: "x" })),
    ]);
    expect(results).toEqual([undefined, undefined, undefined]);
    expect(JSON.stringify(await readAll(here))).not.toContain(user.id);
  });

  it("are one for each key", async () => {
    const results = await Promise.all(
      turns(12).map((by, n) => by.appendResponse(withPost({ idempotencyKey: `key-${n % 3}` }))),
    );
    expect(results.filter((result) => result === true)).toHaveLength(3);
    expect(results.every((result) => typeof result !== "string")).toBe(true);
    expect(await stored()).toEqual({ responses: 3, posts: 3 });
  });

  it("are each answered for themselves, whatever others at once are refused", async () => {
    const otherId = randomUUID();
    const event = { ...aNotice("interaction.created"), id: otherId };
    await here.appendInteraction({ ...bot, channelId, event });
    const late = { ...aNotice("interaction.responded"), createdAt: NOW + 15 * 60_000 };
    const [first, expired, unknown, again, other, plain] = await Promise.all([
      here.appendResponse(response({ idempotencyKey: "a" })),
      here.appendResponse(response({ interactionId: otherId, event: late })),
      here.appendResponse(response({ interactionId: randomUUID() })),
      here.appendResponse(response({ idempotencyKey: "a" })),
      here.appendResponse(response({ interactionId: otherId })),
      here.appendResponse(response()),
    ]);
    expect([first, expired, unknown, other, plain]).toEqual([true, "expired", undefined, true, true]);
    const { responses = [] } = (await here.findInteraction({ botId: bot.botId }, interactionId)) ?? {};
    expect(responses).toHaveLength(2);
    expect(again).toEqual(responses[0]);
    const told = (await readAll(here)).filter(({ eventType }) => eventType === "interaction.responded");
    expect(told).toHaveLength(3);
  });

  it("that edit the post count only where they are the next revision", async () => {
    const post = aPost(channelId, "a", { botId: bot.botId });
    await here.appendPosts([post]);
    const revision = (body: string) => anEdit(post, body, bot.botId);
    const results = await Promise.all(
      turns(6).map((by, n) =>
        n < 2 ? by.editPost(revision(`by ${n}`)) : by.appendResponse(response({ edit: revision(`by ${n}`) })),
      ),
    );
    const [winner] = results.flatMap((result, n) => (result === true ? [n] : []));
    expect(results.filter((result) => result === true)).toHaveLength(1);
    expect(results.filter((result) => result === "outdated")).toHaveLength(5);
    expect((await here.listPosts(channelId, 1))?.[0]).toMatchObject({ body: `by ${winner}`, revision: 2 });
    expect((await stored()).responses).toBe((winner ?? 0) < 2 ? 0 : 1);
  });

  it("are stored whole or not at all when the bot is detached meanwhile", async () => {
    const [detached, ...results] = await Promise.all([
      detach(there, bot, channelId),
      ...turns(5).map((by) => by.appendResponse(withPost())),
    ]);
    expect(detached).toBe(true);
    const count = results.filter((result) => result === true).length;
    expect(results.filter((result) => result === "not attached")).toHaveLength(5 - count);
    expect(await stored()).toEqual({ responses: count, posts: count });
  });
});
