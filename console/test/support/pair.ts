import { BotClient } from "@botyard/sdk";
import type { RealService } from "../../../sdk/test/support/service.js";

/** A bot in a channel of its own. */
export async function makePair({ owner, url }: RealService, name: string) {
  const channel = await owner.createChannel({ slug: name, title: `Channel ${name}` });
  const { bot, token } = await owner.createBot({ username: `${name}-bot` });
  await owner.attachBot(bot.id, channel.id);
  return { bot, channel, client: new BotClient(token.token, { url }) };
}
