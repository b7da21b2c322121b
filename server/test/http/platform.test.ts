import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";

const TOKEN = "a-token-of-the-platform-0123456789";
const NEXT = "the-next-token-of-the-platform-012";
const BURST = 1_000;

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [TOKEN, NEXT], rateLimit: { burst: BURST, perSecond: 0.001 } },
    rateLimit: { burst: 500, perSecond: 0.001 },
  });
  world = await makeWorld(api);
});
afterAll(() => api.close());

interface Call {
  owner?: string;
  token?: string;
  body?: unknown;
}
const call = (method: string, path: string, { owner, token = TOKEN, body }: Call = {}): Promise<Answer> =>
  ask(api, method, path, {
    token,
    ...(body === undefined ? {} : { body }),
    headers: owner === undefined ? {} : { "Botyard-Owner": owner },
  });

describe("the platform", () => {
  it("acts as any owner, and as nobody else meanwhile", async () => {
    const { body } = await call("GET", "/v1/bot-api/bots", { owner: world.owner });
    expect(body.items).toMatchObject([{ id: world.botId, owner_user_id: world.owner }]);
    expect((await call("GET", "/v1/bot-api/bots", { owner: "somebody else" })).body.items).toEqual([]);
    const path = `/v1/bot-api/bots/${world.botId}`;
    expect((await call("GET", path, { owner: "somebody else" })).status).toBe(404);
    expect((await call("GET", path, { owner: world.owner })).status).toBe(200);
  });

  it("may use each of its tokens, so that they can be changed", async () => {
    const answers = await Promise.all(
      [TOKEN, NEXT, `${NEXT}x`, TOKEN.slice(1)].map((token) =>
        call("GET", "/v1/channels", { owner: "alice", token }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
  });

  it("has to say whom it acts as, once", async () => {
    const without = await call("GET", "/v1/channels");
    expect(without.status).toBe(400);
    expect(without.body.error).toContain("Botyard-Owner");
    for (const owner of ["", "a%00b", "a, b", "Zo\u00eb", "%", "%ff", "x".repeat(256), "%ed%a0%80"]) {
      const { status, body } = await call("GET", "/v1/channels", { owner });
      expect(status, owner).toBe(400);
      expect(body.error, owner).toContain("Botyard-Owner");
    }
    const headers = new Headers({ authorization: `Bearer ${TOKEN}` });
    headers.append("botyard-owner", "alice");
    headers.append("botyard-owner", "bob");
    expect((await fetch(`${api.url}/v1/channels`, { headers })).status).toBe(400);
  });

  it("names owners with other letters percent-encoded", async () => {
    const owner = "Zoë, 100%";
    const token = await api.ownerToken(owner);
    await ask(api, "POST", "/v1/channels", { token, body: { slug: "zoe", title: "Zoë" } });
    const { body } = await call("GET", "/v1/channels", { owner: encodeURIComponent(owner) });
    expect(body.items).toMatchObject([{ slug: "zoe", owner_user_id: owner }]);
  });

  it("has no access to what bots do", async () => {
    const { status, body } = await call("GET", "/v1/bot-api/me", { owner: world.owner });
    expect(status).toBe(401);
    expect(body.error).toContain("takes a bot token");
  });

  it("watches a bot's updates as long as it likes", async () => {
    const { status, text } = await call("GET", `/v1/bot-api/bots/${world.botId}/updates/stream`, {
      owner: world.owner,
    });
    expect([status, text]).toEqual([200, expect.stringContaining(":")]);
    const exported = await call("GET", "/v1/owner/export", { owner: world.owner });
    expect(exported.text.trimEnd().split("\n").at(-1)).toContain('"end"');
  });

  it("has a rate limit of its own", async () => {
    const { headers } = await call("GET", "/v1/channels", { owner: "alice" });
    expect(headers.get("ratelimit-policy")).toBe(`"platform";q=${BURST};w=1000000`);
    const own = await ask(api, "GET", "/v1/channels", { token: await api.ownerToken("alice") });
    expect(own.headers.get("ratelimit-policy")).toContain('"default";q=500');
    const limited = await startApi({
      platform: { tokens: [TOKEN], rateLimit: { burst: 2, perSecond: 0.001 } },
    });
    try {
      const statuses: number[] = [];
      for (const owner of ["alice", "bob", "carol"]) {
        const { status } = await ask(limited, "GET", "/v1/channels", {
          token: TOKEN,
          headers: { "Botyard-Owner": owner },
        });
        statuses.push(status);
      }
      expect(statuses).toEqual([200, 200, 429]);
      const token = await limited.ownerToken("alice");
      expect((await ask(limited, "GET", "/v1/channels", { token })).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  it("leaves a line in the log for each write, and its token in none", async () => {
    const before = api.logLines.length;
    const body = { slug: "audited", title: "Audited" };
    await call("POST", "/v1/channels", { owner: "alice", body });
    await call("POST", "/v1/channels", { owner: "alice", body });
    await call("GET", "/v1/channels", { owner: "alice" });
    const lines = api.logLines.slice(before).filter(({ event }) => event === "platform_call");
    expect(lines).toMatchObject([
      { operation: "createChannel", owner: "alice", status: 201, address: "127.0.0.1" },
      { operation: "createChannel", owner: "alice", status: 400 },
    ]);
    expect(JSON.stringify(api.logLines)).not.toContain(TOKEN);
  });
});

describe("an owner", () => {
  it("cannot name another one", async () => {
    for (const owner of [world.owner, "alice"]) {
      const { status, body } = await call("GET", "/v1/channels", { owner, token: world.ownerToken });
      expect([status, body.error]).toEqual([400, expect.stringContaining("Botyard-Owner")]);
    }
  });
});

it("without any token, nothing is the platform's", async () => {
  const closed = await startApi();
  try {
    for (const token of ["", TOKEN, "undefined"]) {
      const headers = { "Botyard-Owner": "alice" };
      expect((await ask(closed, "GET", "/v1/channels", { token, headers })).status).toBe(401);
    }
  } finally {
    await closed.close();
  }
});
