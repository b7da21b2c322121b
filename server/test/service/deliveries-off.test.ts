import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { scrape } from "../support/scrape.js";

describe(`a service on ${engine.name} whose deliveries are off`, () => {
  let home: StoreHome;
  let receiver: Receiver;
  let drillFolder: string;
  let running: InProcessService[];

  beforeEach(async () => {
    home = await engine.createHome();
    receiver = await startReceiver();
    drillFolder = await mkdtemp(join(tmpdir(), "botyard-drill-"));
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((service) => service.stop()));
    await receiver.close();
    await rm(drillFolder, { recursive: true });
    await home.remove();
  });

  async function start(env: Environment = {}, dataDir = home.dataDir): Promise<InProcessService> {
    const all = { METRICS_PORT: "0", RATE_LIMIT_BURST: "1000000", ...home.environment, ...env };
    const service = await startInProcessService(dataDir, all);
    running.push(service);
    return service;
  }

  async function worldWithWebhook(service: InProcessService): Promise<World> {
    const { BOTYARD_TOKEN = "" } = await environmentOf("owner", service, home.dataDir);
    const world = await makeWorld({ url: service.url, ownerToken: async () => BOTYARD_TOKEN });
    const webhook = { token: BOTYARD_TOKEN, body: { url: receiver.url } };
    await ask(service, "PUT", `/v1/bot-api/bots/${world.botId}/webhook`, webhook);
    return world;
  }

  const post = (service: InProcessService, { botToken, channelId }: World): Promise<Answer> =>
    ask(service, "POST", `/v1/bot-api/channels/${channelId}/posts`, { token: botToken, body: { body: "x" } });
  const poll = async (service: InProcessService, { botToken }: World): Promise<number> =>
    (await ask(service, "GET", "/v1/bot-api/updates", { token: botToken })).body.items.length;
  const readiness = async (service: InProcessService): Promise<unknown> =>
    (await ask(service, "GET", "/readyz")).body;
  const linesOf = (service: InProcessService): { event?: string; metricsUrl?: string; reason?: string }[] =>
    service
      .stdout()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const metricsOf = (service: InProcessService) =>
    scrape(linesOf(service).find(({ event }) => event === "started")?.metricsUrl ?? "");
  const deliveries = (state: string, env: Environment) => commandResult(["deliveries", state], env);

  /** The backlog is measured after the post, by which time a dispatcher would long have sent it. */
  async function backlogOfOne(service: InProcessService): Promise<void> {
    const measured = await eventually("the backlog is measured", async () => {
      const samples = await metricsOf(service);
      return samples.get("botyard_backlog_updates") === 1 ? samples : undefined;
    });
    expect(measured.get("botyard_deliveries_off")).toBe(1);
    expect(measured.get("botyard_oldest_due_update_age_seconds")).toBe(0);
    expect(measured.get("botyard_lanes_held")).toBe(0);
    expect(receiver.requests).toEqual([]);
  }

  it("records, answers polls and sends nothing; a later one with deliveries on sends it", async () => {
    const off = await start({ DELIVERIES: "off" });
    expect(await readiness(off)).toEqual({ status: "ready", deliveries: "off" });
    expect(linesOf(off)).toContainEqual(
      expect.objectContaining({ event: "deliveries_off", reason: "configuration" }),
    );
    const world = await worldWithWebhook(off);
    expect((await post(off, world)).status).toBe(201);
    expect(await poll(off, world)).toBe(1);
    const test = await ask(off, "POST", `/v1/bot-api/bots/${world.botId}/webhook/test`, {
      token: world.ownerToken,
    });
    expect({ status: test.status, code: test.headers.get("botyard-error"), body: test.body }).toEqual({
      status: 400,
      code: "deliveries_off",
      body: { error: "this service sends nothing to webhooks: its deliveries are off" },
    });
    await backlogOfOne(off);
    // On PostgreSQL another instance sends meanwhile.
    if (engine.name === "sqlite") await off.stop();
    const on = await start();
    expect(await readiness(on)).toEqual({ status: "ready" });
    await eventually("the update arrives", () => receiver.requests.length === 1);
  });

  it("finds that in its database: a restored drill calls nobody, until it is switched on", async () => {
    const first = await start({ DELIVERIES: "off" });
    const world = await worldWithWebhook(first);
    await post(first, world);
    await first.stop();
    let env: Environment = { DATA_DIR: home.dataDir, ...home.environment };
    if (engine.name === "sqlite") {
      const file = join(drillFolder, "backup.db");
      expect(await commandResult(["backup", "--to", file], env)).toMatchObject({ code: 0 });
      env = { DATA_DIR: join(drillFolder, "data") };
      const restored = await commandResult(["restore", "--from", file, "--no-deliveries", "--json"], env);
      expect(JSON.parse(restored.stdout)).toMatchObject({ deliveries: "off" });
      expect(restored.stderr).toContain("until botyard deliveries on");
    } else {
      expect(await deliveries("off", env)).toMatchObject({ code: 0 });
    }
    const drill = await start({}, env["DATA_DIR"]);
    expect(linesOf(drill)).toContainEqual(
      expect.objectContaining({ event: "deliveries_off", reason: "database" }),
    );
    expect(await readiness(drill)).toEqual({ status: "ready", deliveries: "off" });
    await backlogOfOne(drill);
    const { findings } = JSON.parse((await commandResult(["doctor", "--json"], env)).stdout);
    expect(findings).toContainEqual(expect.objectContaining({ check: "deliveries", result: "warning" }));
    await drill.stop();
    expect(await deliveries("on", env)).toMatchObject({ code: 0 });
    await start({}, env["DATA_DIR"]);
    await eventually("the update arrives", () => receiver.requests.length === 1);
  });

  it("is not made by a command in a wrong folder", async () => {
    expect(await deliveries("off", { DATA_DIR: join(drillFolder, "nothing") })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no botyard.db in"),
    });
  });
});
