import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt } from "../support/load.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";

/** On Windows a folder with open files cannot be removed or renamed. */
describe.skipIf(process.platform === "win32")("a DATA_DIR that is removed from a running service", () => {
  let parent: string;
  let dataDir: string;
  let service: ServiceProcess;
  let owner: Owner;
  let channelId: string;
  let bot: { token: string };

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "botyard-lost-"));
    dataDir = join(parent, "data");
    service = await startServiceProcess(dataDir, { LOG_LEVEL: "info" });
    owner = ownerAt(await environmentOf("alice", service, dataDir));
    channelId = await owner.createChannel("channel");
    bot = await owner.createBot("bot", [channelId]);
    expect(await post()).toBe(201);
  });
  afterEach(async () => {
    await service.stop("SIGKILL");
    await rm(parent, { recursive: true, force: true });
  });

  const post = async (): Promise<number> => {
    const path = `/v1/bot-api/channels/${channelId}/posts`;
    const { status } = await ask(service, "POST", path, { token: bot.token, body: { body: "hello" } });
    return status;
  };
  const ready = async (): Promise<number> => (await ask(service, "GET", "/readyz")).status;
  const logged = (event: string) =>
    service
      .stdout()
      .split("\n")
      .filter((line) => line.includes(`"${event}"`));

  it("makes it acknowledge nothing and log it, until the folder is put back", async () => {
    await rename(dataDir, join(parent, "elsewhere"));
    for (let i = 0; i < 20; i++) expect(await post()).toBe(503);
    await eventually("it is not ready", async () => (await ready()) === 503);
    await eventually("it is logged", () => logged("storage_lost").length > 0);
    await rename(join(parent, "elsewhere"), dataDir);
    await eventually("it is ready", async () => (await ready()) === 200);
    expect(await post()).toBe(201);
    expect(logged("storage_lost")).toHaveLength(1);
    await eventually("that is logged", () => logged("storage_recovered").length === 1);
    const { items } = (await ask(service, "GET", "/v1/bot-api/updates", { token: bot.token })).body;
    expect(items).toHaveLength(2);
  });

  it("is not confused with the folder of a second service in its place", async () => {
    await rm(dataDir, { recursive: true });
    await mkdir(dataDir, { mode: 0o700 });
    const second = await startServiceProcess(dataDir);
    for (let i = 0; i < 20; i++) expect(await post()).toBe(503);
    await eventually("it is not ready", async () => (await ready()) === 503);
    expect((await ask(second, "GET", "/readyz")).status).toBe(200);
    expect(await second.stop()).toBe(0);
  });

  it("is noticed without a request", async () => {
    await rm(dataDir, { recursive: true });
    await eventually("it is logged", () => logged("storage_lost").length === 1);
    const reading = await ask(service, "GET", "/v1/bot-api/updates", { token: bot.token });
    expect(reading.status).toBe(503);
    expect(await service.stop()).toBe(0);
  });
});
