import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { switchFeedOn } from "../support/feed-world.js";

const TOKEN = "a-token-of-the-platform-0123456789";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [TOKEN], rateLimit: { burst: 10_000, perSecond: 10_000 } },
  });
  await switchFeedOn(api.store);
});
afterAll(() => api.close());

const get = (path: string): Promise<Answer> => ask(api, "GET", path, { token: TOKEN });

// The first poll that a process notes is written at once; later ones are written together, some seconds apart.
it("is noted by the poll that creates it, also when that is the first one", async () => {
  expect((await get("/v1/platform/feed?consumer=created")).status).toBe(200);
  await eventually("the poll is noted", async () => {
    const [consumer] = (await get("/v1/platform/consumers")).body.items;
    return consumer.last_polled_at !== undefined;
  });
});
