import { BotClient, type Interaction } from "@botyard/sdk";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { addBot, messages, PATIENCE, say, useChatApplication } from "./support/chat-application.js";

const BUTTON = { type: "button", id: "ok", label: "OK" } as const;

/** What was erased before the application read of it, in a real browser with the real service. */
describe("what is erased, in the example of a product", PATIENCE, () => {
  const chat = useChatApplication();
  let alice: Page;
  let bot: BotClient;
  let kitchen = "";

  beforeAll(async () => {
    alice = await chat.signIn("alice");
    await alice.getByLabel("New room").fill("Kitchen");
    await alice.getByRole("button", { name: "Open a room" }).click();
    bot = new BotClient(await addBot(alice, "helper"), { url: chat.service.url });
    kitchen = (await bot.listMyChannels()).items[0]?.id ?? "";
  });

  const texts = () => messages(alice).locator(".text").allTextContents();

  /** A bot of an owner in a channel of them, where each kind of item is caused that a post, a user or an owner may take along. */
  const fill = async (user: number, guest: Interaction["user"]) => {
    const owner = chat.ownerOf(user);
    const { id: channelId } = await owner.createChannel({ slug: `filled-${user}`, title: "Filled" });
    const { bot: made, token } = await owner.createBot({ username: `filler-${user}` });
    await owner.attachBot(made.id, channelId);
    const filler = new BotClient(token.token, { url: chat.service.url });
    const components = [[BUTTON]];
    const { id: postId } = await filler.createBotPost(channelId, { body: "of a bot", components });
    const author = guest;
    const { id: question } = await owner.createChannelPost(channelId, { body: "of a user", author });
    await filler.createBotPost(channelId, { body: "an answer", reply_to: question });
    await owner.editChannelPost(channelId, postId, { body: "edited" });
    await owner.editChannel(channelId, { title: "Full" });
    const { id } = await owner.createInteraction(channelId, {
      kind: "component",
      user: guest,
      component: { id: "ok" },
      post: { id: postId },
    });
    await filler.respondToInteraction(id, { type: "update", body: "pressed" });
    await filler.respondToInteraction(id, { type: "private", body: "for you", components });
    await filler.respondToInteraction(id, { type: "post", body: "for all" });
    await owner.emitChannelEvent(channelId, { event_type: "ticket.opened", payload: { ticket: 1 }, author });
    return { owner, channelId, botId: made.id };
  };

  it("is read as any other item, and what follows is shown", async () => {
    await bot.createBotPost(kitchen, { body: "one" });
    await messages(alice).getByText("one").waitFor();
    await chat.stop("SIGKILL");

    const { id: gone } = await bot.createBotPost(kitchen, { body: "two" });
    await bot.createBotPost(kitchen, { body: "three", reply_to: gone });
    await chat.ownerOf(1).editChannelPost(kitchen, gone, { body: "two, edited" });
    await chat.ownerOf(1).deleteChannelPost(kitchen, gone);

    const erasing = await fill(2, { id: "user-20", username: "carol" });
    await eventually("the user is erased", async () => {
      const { status } = await chat.platform.eraseUser("user-20");
      return status === "deleted";
    });
    await erasing.owner.deleteBot(erasing.botId);
    const filled = await fill(3, { id: "user-30", username: "dora" });
    await filled.owner.deleteChannel(filled.channelId);
    const { owner } = await fill(4, { id: "user-40", username: "erin" });
    await eventually("the owner is erased", async () => {
      const { status } = await owner.eraseOwner("user-4");
      return status === "deleted";
    });
    await bot.createBotPost(kitchen, { body: "four" });

    await chat.restart();
    await messages(alice).getByText("four").waitFor();
    expect(await texts()).toEqual(["one", "three", "four"]);
    await eventually("the feed is read", chat.isFeedRead);
  });

  it("is of the application's own message, also when it was killed before it knew of the post", async () => {
    // The first one is deleted, and the second says the same.
    const mine = ["said twice", "said twice", "to be answered"];
    for (const text of mine) {
      const before = await messages(alice).count();
      await say(alice, text);
      await expect.poll(() => messages(alice).count()).toBe(before + 1);
    }
    const posts = await eventually("they are sent", async () => {
      const { items } = await chat.ownerOf(1).listChannelPosts(kitchen);
      const sent = items.filter(({ body }) => mine.includes(body)).toReversed();
      return sent.length === mine.length ? sent : undefined;
    });
    await chat.stop("SIGKILL");
    const database = new DatabaseSync(chat.database);
    database.exec(
      "UPDATE messages SET is_mirrored = 0, post_id = NULL WHERE text IN ('said twice', 'to be answered')",
    );
    database.close();
    await chat.ownerOf(1).deleteChannelPost(kitchen, `${posts[0]?.id}`);
    await bot.createBotPost(kitchen, { body: "an answer", reply_to: `${posts[2]?.id}` });
    await chat.rewindFeed();

    await chat.restart();
    await eventually("the feed is read", chat.isFeedRead);
    await expect.poll(texts).toEqual(["one", "three", "four", ...mine.slice(1), "an answer"]);
    const quote = messages(alice).last().locator(".quote");
    expect(await quote.textContent()).toBe("alice: to be answered");
    const numberOf = async (text: string) => {
      const shown = messages(alice).filter({ hasText: text }).first();
      return Number((await shown.getAttribute("id"))?.slice("message-".length));
    };
    const answered = await numberOf("to be answered");
    expect(await quote.getAttribute("href")).toBe(`#message-${answered}`);
    expect(await numberOf("said twice")).toBe(answered - 1);
    const sent = (await chat.ownerOf(1).listChannelPosts(kitchen)).items.filter(({ body }) =>
      mine.includes(body),
    );
    expect(sent.map(({ id }) => id).toReversed()).toEqual(posts.slice(1).map(({ id }) => id));
  });
});
