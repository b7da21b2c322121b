import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Cell } from "#botyard/store/cells/cell.js";
import { carryLog } from "#botyard/store/cells/guests/carry-log.js";
import { createWakeUp } from "#botyard/store/cells/guests/wake-up.js";
import type { Store } from "#botyard/store/store.js";

it("leaves what could not be carried, also when that is found out while it reads on", async () => {
  let fail: (error: Error) => void;
  const carried = new Promise<void>((_, reject) => {
    fail = reject;
  });
  let reads = 0;
  let position = 0;
  const removed: number[] = [];
  const store = {
    holdConsumer: async () => undefined,
    async listUncarried() {
      reads += 1;
      if (reads === 1) return [{ number: 1, owner: "alice", isPost: true }];
      fail(new Error("the other cell is away"));
      await sleep(20);
      return [];
    },
    readCarried: async () => [{ number: 1 }],
    async removeCarried(_: string, numbers: number[]) {
      removed.push(...numbers);
    },
    async moveConsumer(_: string, __: string, to: { position: number }) {
      ({ position } = to);
    },
  };
  const wakeUp = createWakeUp();
  const from: Cell = { name: "first", number: 0, store: store as unknown as Store };
  const carrying = carryLog({
    from,
    log: { botId: "log", ownerUserId: "\u00021", head: 1, position: 0 },
    reader: "reader",
    perStep: 100,
    carry: () => carried,
    isStopped: () => false,
    wakeUp,
  });
  wakeUp.wake();
  await expect(carrying).rejects.toThrow("the other cell is away");
  expect({ reads, position, removed }).toEqual({ reads: 2, position: 0, removed: [] });
});
