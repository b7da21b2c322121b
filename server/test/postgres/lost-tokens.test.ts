import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { type Cluster, startCluster } from "../support/cluster.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { type Owner, ownerAt } from "../support/load.js";
import { environmentOf } from "../support/program.js";

/** The instance that has seen the token, and the one on which it is replaced. */
const KNOWS = 0;
const CHANGES = 1;

describe("a token that ended on another instance", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let owner: Owner;
  let slug = 0;

  beforeAll(async () => {
    database = await takePostgresDatabase();
    cluster = await startCluster(database.url, 2);
    const changing = cluster.instances[CHANGES];
    if (!changing) throw new Error("there is no second instance");
    owner = ownerAt(await environmentOf("alice", changing, cluster.dataDir));
  });
  afterAll(async () => {
    await cluster.remove();
    await database.drop();
  });

  let bot: { id: string; token: string };
  let channelId: string;
  const post = (channel: string, body: string) =>
    ask({ url: cluster.instances[KNOWS]?.url ?? "" }, "POST", `/v1/bot-api/channels/${channel}/posts`, {
      token: bot.token,
      body: { body },
    });

  beforeEach(async () => {
    slug += 1;
    channelId = await owner.createChannel(`channel-${slug}`);
    bot = await owner.createBot(`bot-${slug}`, [channelId]);
    expect((await post(channelId, "while it is good")).status).toBe(201);
  });

  const takenAway = {
    "a rotation": () => owner.call("POST", `/v1/bot-api/bots/${bot.id}/token`),
    "disabling the bot": () => owner.call("POST", `/v1/bot-api/bots/${bot.id}/disable`),
    "deleting the bot": () => owner.call("DELETE", `/v1/bot-api/bots/${bot.id}`),
  };

  for (const [name, takeAway] of Object.entries(takenAway)) {
    it(`gets only 401 after ${name}, whatever it sends`, async () => {
      await takeAway();
      const refused = {
        "a good post": await post(channelId, "from nobody"),
        "a blank one": await post(channelId, "  "),
        "one in a channel of others": await post("elsewhere", "from nobody"),
      };
      for (const [what, { status }] of Object.entries(refused))
        expect({ what, status }).toEqual({ what, status: 401 });
    });
  }

  for (const [name, takeAway] of Object.entries(takenAway)) {
    it(`ends a waiting poll with 401 after ${name}, long before its time-out`, async () => {
      const instance = { url: cluster.instances[KNOWS]?.url ?? "" };
      const startedAt = performance.now();
      const waiting = ask(instance, "GET", "/v1/bot-api/updates?timeout=30&offset=1", { token: bot.token });
      await takeAway();
      expect((await waiting).status).toBe(401);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    });
  }

  it("gives 401 before any fault of the request", async () => {
    expect((await post(channelId, "  ")).status).toBe(400);
    expect((await post("elsewhere", "from a bot")).status).toBe(403);
    expect((await post(channelId, "still good")).status).toBe(201);
  });
});
