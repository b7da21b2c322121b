import { pino } from "pino";
import { expect, it } from "vitest";
import { startUpkeep } from "#botyard/operations/upkeep/upkeep.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, NOW, publish } from "../support/store-fixtures.js";

it("retention that cannot remove anything is counted and logged", async () => {
  const home = await engine.createHome();
  const store = await home.open();
  const { channelId } = await makeAttachedBot(store);
  await publish(store, channelId, 1, NOW - 10_000 * 86_400_000);
  const lines: { event?: string }[] = [];
  const logger = pino({ level: "info" }, { write: (line) => lines.push(JSON.parse(line)) });
  const unlock = await home.lockWrites();
  const upkeep = startUpkeep({ store, retentionDays: 1, auditRetentionDays: 90, logger });
  try {
    await eventually("the failure", () => upkeep.failures() > 0);
    expect(lines.map(({ event }) => event)).toContain("retention_stalled");
  } finally {
    upkeep.stop();
    await unlock();
    await store.close();
    await home.remove();
  }
});

it("retention that fails unexpectedly logs it and continues", async () => {
  const home = await engine.createHome();
  const store = await home.open();
  const { botId, channelId } = await makeAttachedBot(store);
  await publish(store, channelId, 1, NOW - 10_000 * 86_400_000);
  const lines: { event?: string }[] = [];
  const logger = pino({ level: "info" }, { write: (line) => lines.push(JSON.parse(line)) });
  const forgive = await home.refuse("DELETE", "entries");
  const upkeep = startUpkeep({ store, retentionDays: 1, auditRetentionDays: 90, logger });
  try {
    await eventually("some failures", () => upkeep.failures() > 2);
    expect(lines.map(({ event }) => event)).toEqual(["retention_failed"]);
    await forgive();
    await eventually("it is removed", async () => (await store.readUpdates(botId, 0, 1)).length === 0);
  } finally {
    upkeep.stop();
    await store.close();
    await home.remove();
  }
});
