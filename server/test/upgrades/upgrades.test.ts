import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { openStore } from "#botyard/open-store.js";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt, readLog } from "../support/load.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { startProxy } from "../support/proxy.js";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver.js";
import { createEmptyHome, type EmptyHome, putFixture, upgradeFixture } from "../support/upgrade-fixtures.js";

/** The project of this file; an installed PostgreSQL is not among them. */
const ENGINE = engine.name === "sqlite" ? "sqlite" : "postgres";

/**
 * Databases that `scripts/upgrade-fixture.mjs` has made with the program of that release. `with-updates` is from before the
 * first one: the earliest schema that is upgraded.
 */
const RELEASES = ["with-updates"];
/** A year in tests is a day: what the fixtures hold does not expire. */
const RETENTION_DAYS = "3650";

type BotName =
  | "delivered"
  | "recovered"
  | "failed"
  | "requeued"
  | "former"
  | "deleted"
  | "paused"
  | "disabled"
  | "retrying"
  | "polling";

interface Row {
  update_id: number;
  payload: { post_id: string; body: string };
  delivered_webhook_at?: string;
  webhook_attempt_count: number;
  last_delivery_error: string;
  next_retry_at: string | null;
}

interface RecordedBot {
  id: string;
  token: string;
  channelId: string;
  stats: Record<string, number>;
  updates: Row[];
}

interface Recorded {
  secretKey: string;
  ownerSecret: string;
  webhookSecret: string;
  bots: Record<BotName, RecordedBot>;
}

describe.each(RELEASES)(`a database on ${ENGINE} of the release %s`, (release) => {
  const recorded = JSON.parse(upgradeFixture(`${release}.${ENGINE}.json`).toString()) as Recorded;
  const { bots } = recorded;
  const kept = Object.entries(bots).filter(([name]) => name !== "deleted") as [BotName, RecordedBot][];
  let home: EmptyHome;
  let receiver: Receiver;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let service: ServiceProcess;
  let owner: Owner;

  beforeAll(async () => {
    home = await createEmptyHome(ENGINE);
    const retryAt = bots.retrying.updates.flatMap(({ next_retry_at: at }) =>
      at === null ? [] : Date.parse(at),
    );
    await putFixture(home, release, retryAt[0]);
    receiver = await startReceiver();
    // The webhooks of the fixture lead to a port that was free when it was made; the proxy leads all of them here.
    proxy = await startProxy(receiver.port);
    const settings = {
      ...home.environment,
      SECRET_KEY: recorded.secretKey,
      OWNER_JWT_SECRET: recorded.ownerSecret,
      WEBHOOK_PROXY_URL: `http://127.0.0.1:${proxy.server.port}`,
      RETENTION_DAYS,
    };
    const check = await commandResult(["migrate", "--check", "--json"], settings);
    const { up_to_date: isUpToDate, steps } = JSON.parse(check.stdout);
    expect(check.code).toBe(isUpToDate ? 0 : 1);
    expect(steps.length > 0).toBe(!isUpToDate);
    if (release === "with-updates")
      expect(steps[0]).toMatchObject({
        step: { sqlite: 18, postgres: 46 }[ENGINE],
        does: expect.any(String),
      });
    // Read before a service drops what is older than a week.
    const store = await openStore(loadConfig(settings), pino({ level: "silent" }));
    const timeline = await store.readTimeline(bots.delivered.id, 0);
    await store.close();
    expect(timeline.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(3);
    service = await startServiceProcess(home.dataDir, settings);
    owner = ownerAt(await environmentOf("alice", service, home.dataDir, settings));
  });
  afterAll(async () => {
    await service.stop("SIGKILL");
    await proxy.server.close();
    await receiver.close();
    await home.remove();
  });

  const ofBot = (name: BotName, path: string) => `/v1/bot-api/bots/${bots[name].id}${path}`;
  const rowsOf = async (name: BotName): Promise<Row[]> =>
    (await owner.get<{ items: Row[] }>(ofBot(name, "/updates?limit=100"))).items;
  const receivedBy = (name: BotName): ReceivedRequest[] =>
    receiver.requests.filter(({ path }) => path.endsWith(`/${name}`));
  const deliveredAll = (name: BotName) =>
    eventually(`all updates of ${name} are delivered`, async () => {
      const stats = await owner.get<Record<string, number>>(ofBot(name, "/stats"));
      return stats["delivered_updates"] === stats["total_updates"];
    });

  it("has every log as it was: no gap, no number twice, delivered stays delivered", async () => {
    for (const [name, { updates }] of kept) {
      const rows = await rowsOf(name);
      expect(rows.map(({ update_id }) => update_id)).toEqual(updates.map(({ update_id }) => update_id));
      expect(rows.map(({ update_id }) => update_id).toReversed()).toEqual(rows.map((_, at) => at + 1));
      expect(rows.map(({ payload }) => payload)).toEqual(updates.map(({ payload }) => payload));
      for (const [at, { delivered_webhook_at: then }] of updates.entries())
        if (then) expect(rows[at]?.delivered_webhook_at).toBe(then);
    }
  });

  it("keeps tokens that were valid, and only these", async () => {
    for (const [name, { token, updates }] of kept) {
      const { status } = await ask(service, "GET", "/v1/bot-api/me", { token });
      expect([name, status]).toEqual([name, name === "disabled" ? 401 : 200]);
      if (status !== 200) continue;
      const log = await readLog(service.url, token);
      expect(log.map(({ payload }) => payload)).toEqual(updates.map(({ payload }) => payload).toReversed());
    }
    expect((await ask(service, "GET", "/v1/bot-api/me", { token: bots.deleted.token })).status).toBe(401);
  });

  it("counts what its rows say", async () => {
    for (const [name] of kept) {
      const [rows, stats] = [
        await rowsOf(name),
        await owner.get<Record<string, number>>(ofBot(name, "/stats")),
      ];
      const delivered = rows.filter((row) => row.delivered_webhook_at);
      const scheduled = rows.filter((row) => row.next_retry_at !== null && !row.delivered_webhook_at);
      expect([name, stats["total_updates"]]).toEqual([name, rows.length]);
      expect([name, stats["delivered_updates"]]).toEqual([name, delivered.length]);
      expect([name, stats["scheduled_retries"]]).toEqual([name, scheduled.length]);
      const failed = rows.filter((row) => "state" in row && row["state"] === "failed");
      expect([name, stats["terminal_failed_updates"]]).toEqual([name, failed.length]);
      const rest = rows.length - delivered.length - scheduled.length - failed.length;
      expect([name, stats["pending_updates"]]).toEqual([name, rest]);
    }
    expect(
      (await owner.get<Record<string, number>>(ofBot("failed", "/stats")))["terminal_failed_updates"],
    ).toBe(2);
    expect((await owner.get<Record<string, number>>(ofBot("retrying", "/stats")))["scheduled_retries"]).toBe(
      1,
    );
  });

  it("sends what waits once it may, replays what failed, and signs it with the secret of then", async () => {
    expect(receiver.requests).toEqual([]);
    expect(await owner.call("POST", ofBot("failed", "/webhook/replay"))).toMatchObject({ requeued: 2 });
    await owner.call("POST", ofBot("retrying", "/webhook/replay"));
    await owner.call("POST", ofBot("disabled", "/enable"));
    for (const name of ["paused", "requeued"] as const)
      await owner.call("POST", ofBot(name, "/webhook/resume"));
    await owner.call("POST", ofBot("requeued", "/webhook/replay"));
    for (const name of ["failed", "retrying", "disabled", "paused", "requeued"] as const) {
      await deliveredAll(name);
      const received = new Set(receivedBy(name).map(({ updateId }) => updateId));
      expect(received).toEqual(new Set(bots[name].updates.map(({ update_id }) => update_id)));
    }
    const secrets = receiver.requests.map(({ headers }) => headers["x-service-bot-api-secret-token"]);
    expect(new Set(secrets)).toEqual(new Set([recorded.webhookSecret]));
  });

  it("goes on: the next post has the next number, and nothing that was delivered is sent again", async () => {
    const { channelId, token, updates } = bots.delivered;
    const path = `/v1/bot-api/channels/${channelId}/posts`;
    expect((await ask(service, "POST", path, { token, body: { body: "after" } })).status).toBe(201);
    await deliveredAll("delivered");
    expect(receivedBy("delivered").map(({ updateId }) => updateId)).toEqual([updates.length + 1]);
    for (const name of ["recovered", "former"] as const) expect(receivedBy(name)).toEqual([]);
  });
});
