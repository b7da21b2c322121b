import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { createRefusalLog, RATE_LIMITED } from "#botyard/http/limits/refusal-log.js";
import { createHttpTally } from "#botyard/http/tally.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";

interface Line {
  event?: string;
  who?: string;
  level?: number;
}

describe("two bots that answer each other without end", () => {
  /** So low that bots on the slowest machine reach it. */
  const [BURST, PER_SECOND] = [10, 1];
  let api: RunningApi;
  let isOver = false;
  afterEach(() => api.close());

  it("are held to the rate limit, and the log names them", async () => {
    api = await startApi({ rateLimit: { burst: BURST, perSecond: PER_SECOND } });
    const one = await makeWorld(api);
    const token = one.ownerToken;
    const made = await ask(api, "POST", "/v1/bot-api/bots", { token, body: { username: "the-other" } });
    const other = { id: made.body.bot.id as string, token: made.body.token.token as string };
    await ask(api, "POST", `/v1/bot-api/bots/${other.id}/channels/${one.channelId}`, { token });

    const startedAt = performance.now();
    let posts = 0;
    const answering = async (botToken: string, username: string): Promise<void> => {
      let offset = 0;
      while (!isOver) {
        const polled = await ask(api, "GET", `/v1/bot-api/updates?offset=${offset}&timeout=1`, {
          token: botToken,
        });
        if (polled.status === 429) await sleep(50);
        for (const { update_id, payload } of polled.body.items ?? []) {
          offset = update_id;
          if (payload.author_username === username) continue;
          const body = { body: `you said: ${String(payload.body).slice(0, 100)}` };
          const { status } = await ask(api, "POST", `/v1/bot-api/channels/${one.channelId}/posts`, {
            token: botToken,
            body,
          });
          if (status === 201) posts += 1;
        }
      }
    };
    const loops = [answering(one.botToken, one.username), answering(other.token, "the-other")];
    // A first post for them to answer, repeated in case an answer is lost.
    const teasing = (async () => {
      for (; !isOver; await sleep(100)) {
        const body = { body: "hello, bots" };
        await ask(api, "POST", `/v1/channels/${one.channelId}/posts`, { token, body });
      }
    })();

    const lines = (): Line[] => (api.logLines as Line[]).filter(({ event }) => event === "rate_limited");
    await eventually("both bots are named in the log", () =>
      [one.botId, other.id].every((id) => lines().some(({ who }) => who === id)),
    );
    isOver = true;
    await Promise.all([...loops, teasing]);
    const elapsedS = (performance.now() - startedAt) / 1000;
    expect(posts).toBeLessThanOrEqual(2 * (BURST + PER_SECOND * elapsedS + 1));
    // Once for each, however often they were refused.
    expect(lines().filter(({ who }) => who === other.id)).toHaveLength(
      elapsedS < 60 ? 1 : expect.any(Number),
    );
    expect(lines()[0]?.level).toBe(40);
  });
});

describe("the log of refusals", () => {
  it("has a line for each name, again after a minute, and remembers a bounded number of names", () => {
    const lines: Line[] = [];
    let now = 0;
    const logger = pino({ level: "info" }, { write: (line) => lines.push(JSON.parse(line)) });
    const note = createRefusalLog(logger, RATE_LIMITED, createHttpTally(), () => now);
    for (let count = 0; count < 5; count++) note("one");
    note("two");
    expect(lines.map(({ who }) => who)).toEqual(["one", "two"]);
    now = 59_999;
    note("one");
    expect(lines).toHaveLength(2);
    now = 60_000;
    note("one");
    expect(lines.map(({ who }) => who)).toEqual(["one", "two", "one"]);
    for (let count = 0; count < 1_000; count++) note(`name ${count}`);
    note("one");
    expect(lines).toHaveLength(1004);
  });
});

describe("guessed credentials", () => {
  it("are limited by address, which the log names", async () => {
    const api = await startApi({ rateLimit: { burst: 3, perSecond: 0.01 } });
    for (let count = 0; count < 8; count++)
      await ask(api, "GET", "/v1/bot-api/me", { token: `guess-${count}` });
    const lines = (api.logLines as Line[]).filter(({ event }) => event === "rate_limited");
    expect(lines.map(({ who }) => who)).toEqual(["address 127.0.0.1"]);
    expect(JSON.stringify(api.logLines)).not.toContain("guess-");
    await api.close();
  });
});
