import pg from "pg";
import { describe, expect, it } from "vitest";
import { startCluster } from "../support/cluster.js";
import { takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { ownerAt, startPoster } from "../support/load.js";
import { environmentOf } from "../support/program.js";
import { accept, hang, startReceiver } from "../support/receiver.js";

/** The longest wait of a bot whose lane's holder dies. */
const TAKEOVER_MS = 10_000;
/** Attempts of one bot that may be in flight when its holder loses the lane. */
const MAX_IN_FLIGHT = 32;

/** An instance that holds the lane of a bot, and what else a test has for itself: both wait for a lease to run out. */
async function createWorld(atEnd: (remove: () => Promise<void>) => void) {
  const database = await takePostgresDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const receiver = await startReceiver();
  // The first instance holds the lane.
  const cluster = await startCluster(database.url, 1, { WEBHOOK_TIMEOUT_MS: "60000" });
  atEnd(async () => {
    await cluster.remove();
    await receiver.close();
    await client.end();
    await database.drop();
  });
  const owner = ownerAt(await environmentOf("alice", cluster.any(), cluster.dataDir));
  const channelId = await owner.createChannel("channel");
  const bot = await owner.createBot("bot", [channelId]);
  await owner.setWebhook(bot.id, receiver.url);
  return {
    cluster,
    receiver,
    startSecond: () => startCluster(database.url, 1, { DATA_DIR: cluster.dataDir }),
    startPosterAt: (urlOf: () => string) => startPoster(urlOf, bot.token, channelId),
    async post(count: number): Promise<number> {
      const poster = startPoster(() => cluster.any().url, bot.token, channelId);
      await eventually("the posts are made", () => poster.acknowledged.length >= count);
      await poster.stop();
      return poster.acknowledged.length;
    },
    async lane() {
      const { rows } = await client.query<{ holder: string | null; leaseMs: string }>(
        `SELECT holder, lease_until - extract(epoch FROM now()) * 1000 AS "leaseMs" FROM lanes`,
      );
      return rows[0];
    },
    /** A count of the bot's statistics, as the instance at `url` sees it. */
    async count(url: string, name: string) {
      const at = ownerAt({ BOTYARD_URL: url, BOTYARD_TOKEN: owner.token });
      return (await at.get<Record<string, number>>(`/v1/bot-api/bots/${bot.id}/stats`))[name];
    },
  };
}

describe.concurrent("a lane whose holder hangs", () => {
  it("is held on a lease of less than ten seconds, and taken by another instance once that has run out", async ({
    onTestFinished,
  }) => {
    const { cluster, receiver, lane, post } = await createWorld(onTestFinished);
    const attemptsOfFirst = () => receiver.requests.filter(({ updateId }) => updateId === 1).length;
    receiver.answerWith(hang);
    await post(1);
    await eventually("the attempt is under way", () => attemptsOfFirst() === 1);
    const before = await lane();
    expect(before?.holder).toEqual(expect.any(String));
    expect(Number(before?.leaseMs)).toBeLessThan(TAKEOVER_MS);

    await cluster.kill(0);
    receiver.answerWith(accept);
    await cluster.restart(0);
    await eventually("the attempt is made again", () => attemptsOfFirst() === 2);
    const after = await lane();
    expect(after?.holder).not.toBe(before?.holder);
  });

  it("is not changed by a holder that resumes late, and delivered updates stay delivered", async ({
    onTestFinished,
  }) => {
    const { cluster, receiver, startSecond, startPosterAt, lane, post, count } =
      await createWorld(onTestFinished);
    receiver.answerWith((response) => setTimeout(() => response.end(), 20));
    const frozen = cluster.any();
    const posted = await post(200);
    expect((await lane())?.holder).toEqual(expect.any(String));
    frozen.child.kill("SIGSTOP");
    const second = await startSecond();
    try {
      const state = (name: string) => count(second.any().url, name);
      await eventually(
        "another instance delivers the rest",
        async () => (await state("delivered_updates")) === posted,
      );
      frozen.child.kill("SIGCONT");
      const poster = startPosterAt(() => frozen.url);
      await eventually("it serves again", () => poster.acknowledged.length > 20);
      await poster.stop();
      const total = posted + poster.acknowledged.length;
      await eventually("all is delivered", async () => (await state("delivered_updates")) === total);
      const sent = new Set(receiver.requests.map(({ updateId }) => updateId));
      expect(sent.size).toBe(total);
      const again = receiver.requests.length - sent.size;
      expect(again).toBeLessThanOrEqual(MAX_IN_FLIGHT);
      expect(await state("terminal_failed_updates")).toBe(0);
    } finally {
      frozen.child.kill("SIGCONT");
      await second.remove();
    }
  });
});
