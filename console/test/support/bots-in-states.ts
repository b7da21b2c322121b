import { BotClient } from "@botyard/sdk";
import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { type Receiver, refuse, startReceiver } from "../../../server/test/support/receiver.js";
import type { ConsoleUnderTest } from "./console.js";

/** Bots in every state, by their usernames, in one channel. */
export interface BotsInStates {
  readonly ids: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
  readonly channelId: string;
  /** Of the webhooks: it refuses everything. */
  readonly receiver: Receiver;
}

/** Makes them for all tests of a file. The service of `under` retries after an hour. */
export function useBotsInStates(under: ConsoleUnderTest): BotsInStates {
  const ids: Record<string, string> = {};
  const tokens: Record<string, string> = {};
  let receiver: Receiver;
  let channelId = "";

  beforeAll(async () => {
    const { owner, url } = under.service;
    receiver = await startReceiver(refuse(503));
    const channel = await owner.createChannel({ slug: "news", title: "News" });
    channelId = channel.id;
    for (const username of ["down", "resting", "off", "poller", "alone", "fresh"]) {
      const { bot, token } = await owner.createBot({ username });
      ids[username] = bot.id;
      tokens[username] = token.token;
      if (username !== "fresh") await owner.attachBot(bot.id, channel.id);
    }
    const { down = "", resting = "", off = "", fresh = "" } = ids;
    for (const id of [down, resting, off]) await owner.putWebhook(id, { url: receiver.url });
    await owner.pauseWebhook(resting);
    await owner.disableBot(off);
    await owner.createChannelPost(channel.id, { body: "Hello" });
    await owner.putWebhook(fresh, { url: "http://127.0.0.1:1/hook" });
    await owner.pauseWebhook(fresh);
    await new BotClient(tokens["poller"] ?? "", { url }).pollUpdates({ consumer: "main" });
    await eventually("the webhook fails", async () => (await owner.getWebhook(down)).failing_since);
  });
  afterAll(() => receiver.close());

  return {
    ids,
    tokens,
    get channelId() {
      return channelId;
    },
    get receiver() {
      return receiver;
    },
  };
}

/** The row of a bot in the list of all bots. */
export const rowOf = (page: Page, username: string) =>
  page.getByRole("row").filter({ hasText: `@${username}` });
