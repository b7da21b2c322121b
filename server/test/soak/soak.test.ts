import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { engine } from "../support/engines.js";
import { memorySlope, reconcile } from "../support/soak/accounts.js";
import {
  type Fault,
  networkFaults,
  passingFaults,
  processFaults,
  storeFaults,
} from "../support/soak/faults.js";
import { type Stage, setStage } from "../support/soak/stage.js";

/** `npm run soak` takes minutes. */
const SECONDS = Number(process.env["SOAK_SECONDS"] ?? 9);
/** When this file exists, the soak ends with its final checks. */
const STOP_FILE = process.env["SOAK_STOP_FILE"] ?? "";
const POSTS_PER_SECOND = Number(process.env["SOAK_RATE"] ?? 50);
const MAX_PAUSE_MS = 1_500;
const PROGRESS_EVERY_MS = 10_000;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage(POSTS_PER_SECOND);
});
afterAll(() => stage.close());

it(`nothing acknowledged is lost on ${engine.name}, whatever fault occurs`, {
  timeout: SECONDS * 1000 + 900_000,
}, async () => {
  const startedAt = performance.now();
  const elapsedS = (): number => (performance.now() - startedAt) / 1000;
  const isOver = (): boolean => elapsedS() >= SECONDS || (STOP_FILE !== "" && existsSync(STOP_FILE));
  const injected = new Map<string, number>();

  /** One fault after the other in random order, each kind once before any is repeated. */
  const inject = async (faults: () => readonly Fault[]): Promise<void> => {
    let waiting: Fault[] = [];
    while (!isOver()) {
      await sleep(randomInt(MAX_PAUSE_MS));
      if (waiting.length === 0) waiting = [...faults()];
      const [fault] = waiting.splice(randomInt(waiting.length), 1);
      if (!fault) continue;
      await fault.inject(stage);
      injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1);
    }
  };
  // No restarts in the second half, so that the memory of one process can be observed.
  const hasStarts = (): boolean => elapsedS() < SECONDS / 2;
  const ofService = [...passingFaults, ...(storeFaults[engine.name] ?? [])];
  const acknowledged = (): number => stage.posts.acknowledged.reduce((sum, ids) => sum + ids.length, 0);
  const count = (): number => [...injected.values()].reduce((sum, times) => sum + times, 0);
  const saying = setInterval(() => {
    console.error(
      `${engine.name}, ${Math.round(elapsedS())} of ${SECONDS} s: ${acknowledged()} posts acknowledged, ${stage.posts.refused()} refused, ${stage.posts.broken()} cut off, ${count()} faults`,
    );
  }, PROGRESS_EVERY_MS);
  try {
    await Promise.all([
      inject(() => networkFaults),
      inject(() => (hasStarts() ? [...ofService, ...processFaults] : ofService)),
    ]);
  } finally {
    clearInterval(saying);
  }
  const seconds = elapsedS();
  await stage.posts.stop();
  const slope = memorySlope(stage.lives);
  const accounts = await reconcile(stage);

  const most = Math.max(...stage.lives.flat().map(({ bytes }) => bytes)) / 2 ** 20;
  console.error(
    [
      `soaked ${engine.name} for ${Math.round(seconds)} s`,
      `load held      ${Math.round(accounts.posts / seconds)} posts a second (${accounts.posts}), ${Math.round(accounts.deliveries / seconds)} deliveries a second (${accounts.deliveries}), ${accounts.updates} updates`,
      `not taken      ${stage.posts.refused()} posts refused, ${stage.posts.broken()} cut off`,
      `faults         ${count()}: ${[...injected].map(([name, times]) => `${times} × ${name}`).join(", ")}`,
      `updates lost   ${accounts.lost.length}`,
      `duplicates     ${accounts.duplicates}`,
      `replayed       ${accounts.replayed}`,
      `memory         ${slope ? `${slope.mebibytesPerMinute.toFixed(1)} MiB a minute over ${slope.minutes.toFixed(1)} min` : "slope not measured"}, at most ${Math.round(most)} MiB`,
    ].join("\n"),
  );
  expect(accounts.lost).toEqual([]);
  expect(accounts.wrong).toEqual([]);
  expect(accounts.posts).toBeGreaterThan(0);
  expect(injected.size).toBeGreaterThan(2);
});
