import type { ServerResponse } from "node:http";
import type { DeliveryWorld } from "./delivery-world.js";
import { eventually } from "./eventually.js";
import type { Receiver } from "./receiver.js";

/** A receiver that answers each update when the test tells it to. */
export interface ControlledReceiver extends Receiver {
  /** The updates that wait for their answer, ascending. */
  waiting(): number[];
  /** Waits until exactly these updates wait for their answer. */
  shows(updateIds: readonly number[]): Promise<void>;
  answer(updateId: number, status?: number): void;
  answerAll(status?: number): void;
}

export async function startControlledReceiver(world: DeliveryWorld): Promise<ControlledReceiver> {
  const open = new Map<number, ServerResponse>();
  const receiver = await world.startReceiver((response, { updateId }) => {
    open.set(updateId, response);
    response.on("close", () => {
      if (open.get(updateId) === response) open.delete(updateId);
    });
  });
  const waiting = (): number[] => [...open.keys()].sort((a, b) => a - b);
  const answer = (updateId: number, status = 200): void => {
    const response = open.get(updateId);
    if (!response) throw new Error(`update ${updateId} does not wait for an answer`);
    open.delete(updateId);
    response.writeHead(status).end();
  };
  return {
    ...receiver,
    waiting,
    async shows(updateIds) {
      await eventually(
        `the updates ${updateIds.join(", ")} to wait; last seen: ${waiting().join(", ")}`,
        () => waiting().join() === updateIds.join(),
      );
    },
    answer,
    answerAll(status) {
      for (const updateId of waiting()) answer(updateId, status);
    },
  };
}
