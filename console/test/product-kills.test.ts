import { setTimeout as sleep } from "node:timers/promises";
import { BotClient } from "@botyard/sdk";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../server/test/support/eventually.js";
import { addBot, messages, PATIENCE, useChatApplication } from "./support/chat-application.js";

const USERS = ["alice", "bob", "carol"];
/** Of each user. */
const PRESSES = 4;
const TOTAL = USERS.length * PRESSES;
/** A bot that finds the service gone several times waits up to 30 s before it polls again. */
const ANSWERED_WITHIN_MS = 60_000;
/** A press takes about as long, from the click until the page shows the answer. */
const PRESS_MS = 150;

/** A press, as the application has written it down. */
interface Press {
  id: number;
  interaction_id: string;
  responses: number;
  answers: number;
}

describe("presses in the example of a product", PATIENCE, () => {
  const chat = useChatApplication();
  const pages: Page[] = [];
  let botId = "";
  let channelId = "";
  const details = (page: Page, post: number) =>
    messages(page)
      .filter({ hasText: `Deploy ${post}?` })
      .getByRole("button", { name: "Details" });
  const answers = (page: Page) => messages(page).filter({ hasText: "3 changes since the last version" });

  beforeAll(async () => {
    for (const name of USERS) pages.push(await chat.signIn(name));
    const [alice, ...others] = pages;
    await alice?.getByLabel("New room").fill("Kitchen");
    await alice?.getByRole("button", { name: "Open a room" }).click();
    const token = await addBot(alice as Page, "deploys");
    chat.startBot("deploy-bot.mjs", token);
    const bot = new BotClient(token, { url: chat.service.url });
    ({ id: botId } = await bot.getMe());
    channelId = (await bot.listMyChannels()).items[0]?.id ?? "";
    for (let post = 1; post <= PRESSES; post += 1)
      await bot.createBotPost(channelId, {
        body: `Deploy ${post}?`,
        components: [[{ type: "button", id: "details", label: "Details", value: String(post) }]],
      });
    for (const page of others) {
      await page.reload();
      await page.getByRole("button", { name: "Kitchen" }).click();
    }
    for (const page of pages) await details(page, PRESSES).waitFor();
  });

  /** Each press with its interaction and how often it was answered, in the application's own database. */
  const kept = (): Press[] => {
    const database = new DatabaseSync(chat.database);
    const rows = database.prepare(
      `SELECT id, interaction_id, (SELECT count(*) FROM responses r WHERE r.interaction_id = p.interaction_id) AS responses,
      (SELECT count(*) FROM messages m JOIN responses r ON r.id = m.response_id WHERE r.interaction_id = p.interaction_id) AS answers
      FROM presses p ORDER BY id`,
    );
    const presses = rows.all() as unknown as Press[];
    database.close();
    return presses;
  };
  /** Each press is one interaction with one response, in the application, at the service, and in the pages. */
  const expectOneResponseEach = async () => {
    await expect
      .poll(() => kept().map(({ responses, answers }) => [responses, answers]), {
        timeout: ANSWERED_WITHIN_MS,
      })
      .toEqual(Array.from({ length: TOTAL }, () => [1, 1]));
    const owner = chat.ownerOf(1);
    const ids = kept().map(({ interaction_id }) => interaction_id);
    for (const id of ids) {
      const { state, responses } = await owner.getInteraction(channelId, id);
      expect([state, responses.length]).toEqual(["responded", 1]);
    }
    const { items } = await owner.listBotUpdates(botId, { limit: 100 });
    const heard = items.filter(({ event_type }) => event_type === "interaction.created");
    expect(heard.map(({ payload }) => (payload as { interaction_id: string }).interaction_id).sort()).toEqual(
      ids.sort(),
    );
    for (const page of pages) {
      await expect.poll(() => answers(page).count()).toBe(PRESSES);
      await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
    }
  };

  it("are each answered once, though the service and the application are killed in between", async () => {
    const { service } = chat;
    const killed = [
      { kill: () => service.kill(), restart: () => service.restart() },
      { kill: () => chat.stop("SIGKILL"), restart: () => chat.restart() },
    ];
    const [alice, bob, carol] = pages as [Page, Page, Page];
    for (let post = 1; post <= PRESSES; post += 1) {
      const { kill, restart } = killed[post % 2] as (typeof killed)[number];
      await details(alice, post).click();
      await details(bob, post).click();
      // Somewhere between the click and the answer.
      await sleep(Math.random() * PRESS_MS);
      await kill();
      await details(carol, post).click();
      await restart();
    }
    await expectOneResponseEach();
  });

  it("are not answered again when they are sent, and the feed is read, a second time", async () => {
    await chat.stop("SIGKILL");
    // As when it is killed before it has written down that a press was sent.
    const database = new DatabaseSync(chat.database);
    database.exec("UPDATE presses SET is_sent = 0, interaction_id = NULL");
    await chat.rewindFeed();
    await chat.restart();
    await eventually("they were sent again", () => {
      const { left } = database.prepare("SELECT count(*) AS left FROM presses WHERE is_sent = 0").get() as {
        left: number;
      };
      return left === 0;
    });
    database.close();
    await eventually("the feed was read again", chat.isFeedRead);
    for (const page of pages) {
      await page.reload();
      await page.getByRole("button", { name: "Kitchen" }).click();
    }
    await expectOneResponseEach();
  });
});
