import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { BotRef, ResponseToAppend, Store } from "#botyard/store/store.js";
import { openTwoStores } from "../support/engines.js";
import { readAll, switchFeedOn } from "../support/feed-world.js";
import { type Gate, openGate } from "../support/gate.js";
import {
  aNotice,
  anEdit,
  aPost,
  attach,
  makeAttachedBot,
  makeBot,
  NOW,
  OWNER,
} from "../support/store-fixtures.js";

const HASH = "the hash of its token";
const MAKER = "maker";

const ofHolder = ({ botId }: BotRef): BotRef => ({ botId, ownerUserId: OWNER });

/** What takes a bot the right to respond. */
const ENDINGS: Record<string, (store: Store, bot: BotRef, channelId: string) => Promise<unknown>> = {
  "gets a new token": (store, bot) => store.replaceBotToken(bot, "another hash"),
  "is disabled": (store, bot) => store.setBotDisabled(bot, true, NOW),
  "belongs to an owner who is suspended": (store, { ownerUserId }) =>
    store.putOwner(ownerUserId, { suspension: { reason: "spam" } }, NOW),
  "may only read": (store, bot, channelId) => attach(store, ofHolder(bot), channelId, 10, "reader"),
  "is deleted": (store, bot) => store.deleteBot(bot),
};

/** Two instances. The response has been admitted, and waits for the log of another bot, when its bot loses the right to it. */
describe("a response whose bot", () => {
  let here: Store;
  let there: Store;
  let gate: Gate;
  let bot: BotRef;
  let channelId: string;
  let interactionId: string;

  beforeEach(async () => {
    const stores = await openTwoStores();
    ({ here, there } = stores);
    gate = await openGate(stores.home);
    await switchFeedOn(here);
    // Of the logs, its is the first that is locked.
    ({ channelId } = await makeAttachedBot(here));
    bot = await makeBot(here, MAKER);
    await here.editBot(bot, { visibility: "listed", updatedAt: NOW });
    await here.replaceBotToken(bot, HASH);
    await attach(here, ofHolder(bot), channelId);
    interactionId = randomUUID();
    const event = { ...aNotice("interaction.created"), id: interactionId };
    expect(await here.appendInteraction({ ...ofHolder(bot), channelId, event })).toBe(true);
    return async () => {
      await gate.close();
      await stores.close();
    };
  });
  const respond = (what: Pick<ResponseToAppend, "post" | "edit">) =>
    here.appendResponse({
      interactionId,
      channelId,
      botId: bot.botId,
      tokenHash: HASH,
      event: aNotice("interaction.responded"),
      idempotencyKey: "once",
      ...what,
    });
  /** @param rows which rows what is stored with the response waits for */
  const inBetween = async (ending: string, rows: string, what: Pick<ResponseToAppend, "post" | "edit">) => {
    let answer: unknown = "none yet";
    const responding = async () => {
      answer = await respond(what);
    };
    await gate.inOrder(rows, responding, async () => {
      await ENDINGS[ending]?.(there, bot, channelId);
      expect(answer).toBe("none yet");
    });
    return answer;
  };
  const toldOf = async (eventType: string) =>
    (await readAll(here)).filter((item) => item.eventType === eventType).length;

  it.each(Object.keys(ENDINGS))("%s meanwhile is stored with its post", async (ending) => {
    const post = aPost(channelId, "hello", { botId: bot.botId });
    const logOfOther = "lanes WHERE bot_key = (SELECT min(bot_key) FROM bots)";
    expect(await inBetween(ending, logOfOther, { post })).toBe(true);
    expect(await here.listPosts(channelId, 10)).toHaveLength(1);
    expect(await toldOf("interaction.responded")).toBe(1);
    expect(await respond({ post: { ...post, id: randomUUID() } })).not.toBe(true);
    expect(await here.listPosts(channelId, 10)).toHaveLength(1);
  });

  it.each(Object.keys(ENDINGS))("%s meanwhile is stored with its edit", async (ending) => {
    const first = aPost(channelId, "a", { botId: bot.botId });
    await here.appendPosts([first]);
    const edit = anEdit(first, "b", bot.botId);
    expect(await inBetween(ending, `events WHERE id = '${first.id}'`, { edit })).toBe(true);
    expect((await here.listPosts(channelId, 10))?.[0]).toMatchObject({ body: "b", revision: 2 });
    expect(await toldOf("interaction.responded")).toBe(1);
  });
});
