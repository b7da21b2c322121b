import { Bot } from "@botyard/sdk";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { makeWorld, type RealService, startService, type World } from "./service.js";

/** A bot of the real service, in a channel of its own. */
interface LiveBot {
  service: RealService;
  world: World;
  bot: Bot;
}

/**
 * For each test of the file in which this is called: a bot of the real service, in a channel of its own. It is stopped after the test.
 *
 * @param use called with the bot before each test
 */
export function onLiveBot(use: (live: LiveBot) => void) {
  let service: RealService;
  let world: World;
  let bot: Bot;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    world = await makeWorld(service);
    bot = new Bot(world.token, { url: service.url });
    use({ service, world, bot });
  });
  afterEach(() => bot.stop());

  return {
    publish: (body: string, author = "alice") =>
      service.owner.createChannelPost(world.channel.id, { body, author: { id: author, username: author } }),
    /** The texts of the channel's posts, the newest first. */
    bodies: async () =>
      (await service.owner.listChannelPosts(world.channel.id)).items.map(({ body }) => body),
  };
}
