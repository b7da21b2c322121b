import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";
import { type LoadedService, loadService } from "../support/loaded-service.js";
import { type ServiceProcess, startServiceProcess } from "../support/program.js";

const ROUNDS = 2;
/** Of each of the eight posters. */
const POST_EVERY_MS = 10;

describe(`a service on ${engine.name} that is killed under load`, () => {
  let home: StoreHome;
  let service: ServiceProcess;
  let load: LoadedService;

  const start = () =>
    startServiceProcess(home.dataDir, {
      ...home.environment,
      RATE_LIMIT_BURST: "1000000",
      LOG_LEVEL: "warn",
    });

  beforeEach(async () => {
    home = await engine.createHome();
    service = await start();
    load = await loadService(() => service, home.dataDir, POST_EVERY_MS);
  });

  afterEach(async () => {
    await load.quiet();
    await service.stop("SIGKILL");
    await load.close();
    await home.remove();
  });

  it("loses nothing it acknowledged, and delivers everything", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(300 + Math.random() * 500);
      await service.stop("SIGKILL");
      service = await start();
    }
    await sleep(300);
    await load.quiet();
    expect(load.acknowledged()).toBeGreaterThan(ROUNDS);
    await load.expectNothingLost();
  });
});
