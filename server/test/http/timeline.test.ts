import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { aPost, recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;
let mine: World;

beforeAll(async () => {
  api = await startApi();
  mine = await makeWorld(api);
});
afterAll(() => api.close());

const read = async (query = "") => {
  const path = `/v1/bot-api/bots/${mine.botId}/timeline${query}`;
  const answer = await ask(api, "GET", path, { token: mine.ownerToken });
  expectContract("readTimeline", answer);
  return answer;
};

describe("the timeline of a bot", () => {
  it("is of an hour unless asked for more, with zeros where nothing was attempted", async () => {
    const { body } = await read();
    expect(body).toMatchObject({ range: "1h", interval_seconds: 60 });
    expect(body.items).toHaveLength(60);
    expect(Object.keys(body.items[0])).toEqual(["start", "delivered", "retried", "failed", "recorded"]);
    expect(body.items[0].start).toMatch(/:00\.000Z$/);
  });

  it("shows the results of attempts, in each range", async () => {
    await post(api, mine, "one");
    const startsAt = Math.floor(Date.now() / 60_000) * 60_000;
    const minutes = [{ startsAt, delivered: 5, retried: 2, failed: 1, answerTimes: [4, 0, 4], oldestMs: 77 }];
    await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: 1, attempts: [], minutes }]);
    for (const [range, seconds, count] of [
      ["1h", 60, 60],
      ["24h", 900, 96],
      ["7d", 3600, 168],
    ]) {
      const { body } = await read(`?range=${range}`);
      expect(body).toMatchObject({ range, interval_seconds: seconds });
      expect(body.items).toHaveLength(count as number);
      expect(body.items.filter(({ delivered }: { delivered: number }) => delivered > 0)).toEqual([
        {
          start: expect.any(String),
          delivered: 5,
          retried: 2,
          failed: 1,
          p50_ms: 1,
          p99_ms: 1,
          backlog: 1,
          oldest_ms: 77,
          recorded: 1,
        },
      ]);
    }
  });

  it("tells of the backlog of now while nothing is attempted", async () => {
    const paused = await makeWorld(api);
    const token = paused.ownerToken;
    const bot = `/v1/bot-api/bots/${paused.botId}`;
    const backlog = async () => {
      const { items } = (await ask(api, "GET", `${bot}/timeline`, { token })).body;
      return items.map((item: { backlog?: number }) => item.backlog).filter(Number.isInteger);
    };
    await post(api, paused, "waits");
    expect(await backlog()).toEqual([]);
    await ask(api, "PUT", `${bot}/webhook`, { token, body: { url: "https://example.com/hook" } });
    await ask(api, "POST", `${bot}/webhook/pause`, { token });
    expect(await backlog()).toEqual([1]);
  });

  it("counts what was recorded while there is no webhook", async () => {
    const polling = await makeWorld(api);
    const token = polling.ownerToken;
    const bot = `/v1/bot-api/bots/${polling.botId}`;
    const recorded = async (range: string) => {
      const answer = await ask(api, "GET", `${bot}/timeline?range=${range}`, { token });
      expectContract("readTimeline", answer);
      return answer.body.items.map((item: { recorded?: number }) => item.recorded);
    };
    const zeros = (count: number): number[] => Array(count).fill(0);
    expect(await recorded("1h")).toEqual(zeros(60));
    const { botId, channelId } = polling;
    const hoursAgo = [6 * 24, 3, 3, 0.5, 0.5, 0.5].map((hours) => Date.now() - hours * 3_600_000);
    for (const time of hoursAgo) await api.store.appendPosts([aPost(channelId, "earlier", { botId }, time)]);
    await post(api, polling, "now");
    const busy = async (range: string) => (await recorded(range)).filter((count: number) => count > 0);
    expect(await busy("1h")).toEqual([3, 1]);
    expect(await busy("24h")).toEqual([2, 3, 1]);
    expect(await recorded("24h")).toHaveLength(96);
    const [sixDaysAgo, threeHoursAgo, ...others] = await busy("7d");
    expect([sixDaysAgo, threeHoursAgo, others.reduce((a: number, b: number) => a + b)]).toEqual([1, 2, 4]);
    await ask(api, "PUT", `${bot}/webhook`, { token, body: { url: "https://example.com/hook" } });
    expect(await recorded("1h")).toEqual(Array(60).fill(undefined));
  });

  it.each(["?range=", "?range=1", "?range=1H", "?range=30d", "?range=1h&range=1h"])(
    "cannot be asked for with %s",
    async (query) => {
      expectFailure("readTimeline", await read(query), 400, "range must be one of 1h, 24h, 7d");
    },
  );
});
