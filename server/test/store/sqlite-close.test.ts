import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";

let home: StoreHome;
beforeEach(async () => {
  home = await engine.createHome();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await home.remove();
});

it("closes its database once, although what was gathered is sent between the close and its turn", async () => {
  const store = await home.open();
  // After a batch of many calls, calls wait a moment for others.
  await Promise.all(Array.from({ length: 20 }, () => store.hasFeed()));
  const sent = vi.spyOn(Worker.prototype, "postMessage");

  const gathered: (() => void)[] = [];
  const timers = vi.spyOn(globalThis, "setTimeout");
  timers.mockImplementation(((run: () => void) => gathered.push(run)) as never);
  const late = store.hasFeed();
  timers.mockRestore();
  const queued: (() => void)[] = [];
  const turns = vi.spyOn(globalThis, "setImmediate");
  turns.mockImplementation(((run: () => void) => queued.push(run)) as never);
  const closed = store.close();
  expect([gathered.length, queued.length]).toEqual([1, 1]);
  gathered[0]?.();
  await late;
  // The answer to what was gathered queues one more.
  expect(queued).toHaveLength(2);
  for (const flush of queued) flush();
  turns.mockRestore();
  await closed;
  expect(sent.mock.calls.filter(([request]) => "close" in (request as object))).toHaveLength(1);
});
