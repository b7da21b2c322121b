import { afterAll, beforeAll } from "vitest";
import { type RunningApi, startApi } from "./api.js";
import { type Answer, ask } from "./api-client.js";
import { PLATFORM_TOKEN } from "./every-operation.js";
import { switchFeedOn } from "./feed-world.js";

/** An API on which the platform reviews bots, and the tokens of three owners: of bots, of channels, and of neither. */
interface ListingWorld {
  api: RunningApi;
  maker: string;
  holder: string;
  stranger: string;
}

/**
 * For the tests of the file in which this is called: an API on which the platform reviews bots, and the steps that list them.
 *
 * @param use called with the API and its owners before the first test
 */
export function onListingWorld(use: (world: ListingWorld) => void) {
  let api: RunningApi;
  let maker: string;
  let holder: string;
  let stranger: string;
  beforeAll(async () => {
    api = await startApi({
      platform: { tokens: [PLATFORM_TOKEN], rateLimit: { burst: 10_000, perSecond: 10_000 } },
      caps: {
        botsPerOwner: 100,
        channelsPerOwner: 100,
        attaching: { perHolder: 100, review: "required" },
        botLoopPosts: 0,
        connections: 1_000,
      },
    });
    await switchFeedOn(api.store);
    maker = await api.ownerToken("maker");
    holder = await api.ownerToken("holder");
    stranger = await api.ownerToken("stranger");
    use({ api, maker, holder, stranger });
  });
  afterAll(() => api.close());

  const call = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    ask(api, method, path, { token, ...(body === undefined ? {} : { body }) });
  const review = (id: string, status = "approved", note?: string) =>
    call(PLATFORM_TOKEN, "PUT", `/v1/platform/bots/${id}/review`, { status, ...(note && { note }) });
  let count = 0;
  /** For names that nobody has yet. */
  const next = () => count++;

  const makeListed = async (isApproved = true) => {
    const { bot, token } = (await call(maker, "POST", "/v1/bot-api/bots", { username: `listed_${next()}` }))
      .body;
    await call(maker, "PATCH", `/v1/bot-api/bots/${bot.id}`, {
      visibility: "listed",
      metadata: { plan: "secret" },
    });
    if (isApproved) await review(bot.id);
    return { id: bot.id as string, username: bot.username as string, token: token.token as string };
  };
  const makeRoom = async (token = holder) =>
    (
      await call(token, "POST", "/v1/channels", {
        slug: `room-${next()}`,
        title: "A room",
        external_id: `ext-${next()}`,
        metadata: { tier: "gold" },
      })
    ).body.id as string;

  return { call, review, next, makeListed, makeRoom };
}

/** The path at which a bot is attached to a channel. */
export const place = (botId: string, channelId: string) => `/v1/bot-api/bots/${botId}/channels/${channelId}`;
