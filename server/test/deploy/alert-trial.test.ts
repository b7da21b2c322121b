import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployFile } from "../support/deployment.js";
import { eventually } from "../support/eventually.js";
import { ownerAt, type Poster, startPoster } from "../support/load.js";
import { type Monitoring, scaleDurations, startMonitoring } from "../support/monitoring.js";
import { createPostgresServer, freePort, type PostgresServer } from "../support/postgres-server.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { accept, hang, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { createShiftedClock } from "../support/shifted-clock.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Set by `npm run alert-trial`: durations in the rules are divided by it. */
const FACTOR = Number(process.env["ALERT_TRIAL_FACTOR"] ?? 0);
const RECEIVERS = 10;
const POST_INTERVAL_MS = 100;

/** Seconds of a rule, as they are in the trial. */
const scaled = (seconds: number): number => (seconds * 1000) / FACTOR;

describe.skipIf(FACTOR === 0)(`alerts against incidents, durations divided by ${FACTOR}`, () => {
  const folder = temporaryFolder("alert-trial");
  const clock = createShiftedClock();
  const table: string[] = ["| Incident | Alerts, after | Ended |", "|---|---|---|"];
  let database: PostgresServer;
  let ports: number[][];
  let instances: ServiceProcess[];
  let receivers: Receiver[];
  let poster: Poster;
  let monitoring: Monitoring;
  let site: Server;
  let disk: { service: ServiceProcess; folder: string } | undefined;

  const start = (index: number): Promise<ServiceProcess> =>
    startServiceProcess(join(folder, "data"), {
      DATABASE_URL: `${database.url}/postgres`,
      PORT: String(ports[index]?.[0]),
      METRICS_PORT: String(ports[index]?.[1]),
      LOG_LEVEL: "fatal",
      WEBHOOK_TIMEOUT_MS: "3000",
      RATE_LIMIT_BURST: "1000000",
      RATE_LIMIT_PER_SECOND: "100000",
      ...(index === 1 ? clock.environment : {}),
    });

  beforeAll(async () => {
    database = await createPostgresServer();
    await database.start();
    ports = [
      [await freePort(), await freePort()],
      [await freePort(), await freePort()],
    ];
    instances = [await start(0), await start(1)];
    const owner = ownerAt(await environmentOf("alice", instances[0] as ServiceProcess, join(folder, "data")));
    const channelId = await owner.createChannel("general");
    const author = await owner.createBot("author", [channelId]);
    receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => startReceiver()));
    for (const [index, { url }] of receivers.entries())
      await owner.setWebhook((await owner.createBot(`bot-${index}`, [channelId])).id, url);
    poster = startPoster(() => instances[0]?.url ?? "", author.token, channelId, POST_INTERVAL_MS);
    site = createServer(certificate(90), (_request, response) => response.end()).listen(0, "127.0.0.1");
    const diskMetrics = await freePort();
    disk = await startOnSmallDisk(folder, diskMetrics);
    monitoring = await startMonitoring(
      folder,
      scaleDurations(deployFile("alerts.yml"), FACTOR),
      {
        botyard: ports.map(([, metrics]) => `127.0.0.1:${metrics}`),
        "botyard-disk": [`127.0.0.1:${diskMetrics}`],
      },
      {
        target: `https://127.0.0.1:${(site.address() as AddressInfo).port}/`,
        exporter: `127.0.0.1:${await freePort()}`,
      },
    );
    // Ranges fill up.
    await sleep(20_000);
  }, 120_000);

  afterAll(async () => {
    if (FACTOR === 0) return;
    console.log(`Durations in the rules divided by ${FACTOR}:\n${table.join("\n")}`);
    await monitoring.stop();
    await poster.stop();
    for (const instance of instances) await instance.stop("SIGKILL");
    await disk?.service.stop("SIGKILL");
    if (disk) execFileSync("umount", [disk.folder]);
    for (const receiver of receivers) await receiver.close();
    site.closeAllConnections();
    site.close();
    clock.remove();
    await database.remove();
  }, 120_000);

  function certificate(days: number): { key: Buffer; cert: Buffer } {
    const pem = (out: string) => join(folder, `${out}-${days}.pem`);
    const args =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost".split(" ");
    execFileSync("openssl", [...args, "-days", String(days), "-keyout", pem("key"), "-out", pem("cert")], {
      stdio: "ignore",
    });
    const read = (name: string) => execFileSync("cat", [pem(name)]);
    return { key: read("key"), cert: read("cert") };
  }

  /** What fires now, of those that notify somebody. */
  const firing = (): string[] => {
    const states = new Map(
      monitoring.notices
        .filter(({ severity }) => severity !== "info")
        .map(({ alert, severity, status }) => [`${alert} (${severity})`, status]),
    );
    return [...states].filter(([, status]) => status === "firing").map(([name]) => name);
  };

  /**
   * @param expected the alerts that come, of those that notify somebody; others fail the trial
   * @param seconds of unscaled time, for as long as nothing may come
   */
  async function incident(
    what: string,
    expected: readonly string[],
    begin: () => unknown,
    end: () => unknown,
    seconds = 360,
  ): Promise<void> {
    expect(firing()).toEqual([]);
    const beganAt = performance.now();
    await begin();
    if (expected.length === 0) await sleep(scaled(seconds));
    else
      await eventually(
        `${what}: ${expected.join(", ")}`,
        () => expected.every((name) => firing().includes(name)),
        scaled(900) + 60_000,
      );
    const came = monitoring.notices
      .filter(({ at, status, severity }) => at >= beganAt && status === "firing" && severity !== "info")
      .map(({ alert, severity, at }) => ({
        name: `${alert} (${severity})`,
        afterS: Math.round((at - beganAt) / 1000),
      }));
    await end();
    const endedAt = performance.now();
    await eventually(`${what}: it ends`, () => firing().length === 0, scaled(900) + 60_000);
    const ended = Math.round((performance.now() - endedAt) / 1000);
    // One notification comes for each instance.
    const first = new Map(came.toReversed().map(({ name, afterS }) => [name, `${name} ${afterS} s`]));
    const names = [...first.values()].toReversed().join(", ") || "none";
    table.push(`| ${what} | ${names} | ${expected.length > 0 ? `${ended} s` : ""} |`);
    expect(new Set(came.map(({ name }) => name))).toEqual(new Set(expected));
  }

  const all = (answer: Parameters<Receiver["answerWith"]>[0]) => () => {
    for (const receiver of receivers) receiver.answerWith(answer);
  };
  const one = (answer: Parameters<Receiver["answerWith"]>[0]) => () => receivers[0]?.answerWith(answer);
  const TRIAL_MS = 1_800_000;

  const nothing = () => {};
  const trial = (what: string, expected: readonly string[], begin: () => unknown, end: () => unknown): void =>
    it.runIf(FACTOR > 1)(what, { timeout: TRIAL_MS }, () => incident(what, expected, begin, end));

  it("all ten receivers answer 500", { timeout: TRIAL_MS }, () =>
    incident(
      "all ten receivers answer 500",
      ["BotyardReceiversFail (critical)"],
      all(refuse(500)),
      all(accept),
    ),
  );
  trial("none", [], nothing, nothing);
  trial("one receiver of ten answers 500", [], one(refuse(500)), one(accept));
  trial("one receiver of ten never answers", [], one(hang), one(accept));
  trial(
    "three webhook requests are answered with 500",
    [],
    () => {
      for (const receiver of receivers.slice(0, 3))
        receiver.answerWith((response, request) => {
          receiver.answerWith(accept);
          refuse(500)(response, request);
        });
    },
    nothing,
  );
  trial(
    "the database restarts, and calls fail for a second",
    [],
    async () => {
      await database.stop();
      await database.start();
    },
    nothing,
  );
  trial(
    "one of two instances is killed",
    ["BotyardInstanceDown (warning)"],
    () => instances[1]?.stop("SIGKILL"),
    async () => {
      instances[1] = await start(1);
    },
  );
  trial(
    "both instances are killed",
    ["BotyardDown (critical)", "BotyardInstanceDown (warning)"],
    () => Promise.all(instances.map((instance) => instance.stop("SIGKILL"))),
    async () => {
      instances = [await start(0), await start(1)];
    },
  );
  trial(
    "the database is stopped",
    ["BotyardStoreUnavailable (critical)", "BotyardRequestsFail (critical)"],
    () => database.stop(),
    () => database.start(),
  );
  trial(
    "the clock of one instance is a minute ahead",
    ["BotyardClockSkew (warning)"],
    () => clock.shift(60_000),
    () => clock.shift(0),
  );
  trial(
    "the certificate expires in five days",
    ["BotyardCertificateExpires (warning)"],
    () => site.setSecureContext(certificate(5)),
    () => site.setSecureContext(certificate(90)),
  );
  trial(
    "64 of 67 MB of the disk are used",
    ["BotyardDiskNearlyFull (critical)", "BotyardDiskFilling (warning)"],
    () => writeFileSync(join(disk?.folder ?? "", "others"), Buffer.alloc(64_000_000)),
    () => rmSync(join(disk?.folder ?? "", "others")),
  );
});

/** A service on SQLite whose folder is a disk of 64 MB; undefined where none can be mounted. */
async function startOnSmallDisk(
  parent: string,
  metricsPort: number,
): Promise<{ service: ServiceProcess; folder: string } | undefined> {
  const folder = join(parent, "disk");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const service = await startServiceProcess(folder, {
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: "fatal",
  });
  return { service, folder };
}
