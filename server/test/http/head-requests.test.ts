import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
import { operations } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import { pathOf, startApiForAll, tokenFor } from "../support/every-operation.js";
import { switchFeedOn } from "../support/feed-world.js";

let api: RunningApi;
let world: World;
let postId: string;
beforeAll(async () => {
  api = await startApiForAll();
  await switchFeedOn(api.store);
  world = await makeWorld(api);
  postId = (await post(api, world, "a post")).body.id;
});
afterAll(() => api.close());

/** Headers that differ between two answers to the same request, or that a connection decides. */
const OWN = new Set(["date", "x-request-id", "ratelimit", "transfer-encoding", "connection", "keep-alive"]);
const headersOf = ({ headers }: { headers: Headers }) =>
  Object.fromEntries([...headers].filter(([name]) => !OWN.has(name)));

it.each(operations.filter(({ method }) => method === "GET"))(
  "HEAD of $operationId is answered as GET, without a body",
  async (operation) => {
    const path = pathOf(operation, { ...world, postId });
    const token = tokenFor(operation, world);
    const callers: Ask[] = [{ token }, { token: "unknown" }, {}];
    for (const what of callers) {
      const got = await ask(api, "GET", path, what);
      // One export at a time: that of GET may still be ending.
      const answer = await eventually("an answer", async () => {
        const head = await ask(api, "HEAD", path, what);
        return head.headers.get("botyard-error") === "export_running" ? undefined : head;
      });
      expect([answer.status, answer.text]).toEqual([got.status, ""]);
      expect(headersOf(answer)).toEqual(headersOf(got));
    }
    const unknown = await ask(api, "HEAD", `${path}/unknown`, { token });
    expect(unknown.status).toBe((await ask(api, "GET", `${path}/unknown`, { token })).status);
    await eventually("no stream is left", () => api.polls.waiting + api.feedPolls.waiting === 0);
  },
);

it("HEAD counts for the rate limit as GET does", async () => {
  const limited = await startApi({ rateLimit: { burst: 4, perSecond: 0.001 } });
  try {
    const { botToken: token } = await makeWorld(limited);
    const left = async (method: string) => {
      const { status, headers } = await ask(limited, method, "/v1/bot-api/me", { token });
      return [status, /r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]];
    };
    const answers = [];
    for (const method of ["GET", "HEAD", "GET", "HEAD", "HEAD", "GET"]) answers.push(await left(method));
    const spent = [429, "0"];
    expect(answers).toEqual([[200, "3"], [200, "2"], [200, "1"], [200, "0"], spent, spent]);
  } finally {
    await limited.close();
  }
});
