import type { Interaction } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { makeWorld, type RealService, startService } from "./service.js";

/** A channel with a bot in it, and what others do there. */
export interface Place {
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

export const ZOE = { id: "user-7", username: "Zoë" };
export const BOB = { id: "user-8", username: "Bob" };

/** If the fake answered differently from the service, tests would pass and bots fail: the same tests run against both. */
export function describeBoth(tests: (open: () => Promise<Place>) => void): void {
  describe("the real service", () => {
    let real: RealService;
    beforeAll(async () => {
      real = await startService();
    });
    afterAll(() => real.stop());
    tests(() => openReal(real));
  });
  describe("the fake service", () => {
    let fake: FakeService;
    beforeEach(async () => {
      fake = await startFakeService();
    });
    afterEach(() => fake.stop());
    tests(async () => openFake(fake));
  });
}

async function openReal(real: RealService): Promise<Place> {
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
}

function openFake(fake: FakeService): Place {
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
    read: async (interaction) => fake.interactions.find((one) => one.id === interaction.id) as Interaction,
  };
}
