import { afterAll, beforeAll, it } from "vitest";
import { runCellsTrial, TRIAL_TIMEOUT_MS } from "../../support/cells-trial.js";
import {
  type CellsUnderFaults,
  makePostingOwner,
  type PostingOwner,
  startCellsUnderFaults,
} from "../../support/cells-under-faults.js";
import { type Receiver, startReceiver } from "../../support/receiver.js";

const NAMES = ["first", "b", "c", "d"] as const;
const OWNERS = 8;

let world: CellsUnderFaults;
let receiver: Receiver;
const owners: PostingOwner[] = [];
beforeAll(async () => {
  world = await startCellsUnderFaults(NAMES, 2, 1);
  receiver = await startReceiver();
  for (let n = 0; n < OWNERS; n++)
    owners.push(await makePostingOwner(world, `owner-${n}`, `http://127.0.0.1:${receiver.port}/${n}`));
}, 120_000);
afterAll(async () => {
  await world.close();
  await receiver.close();
});

it(
  "four cells of one server lose, double and reorder nothing, while it and instances are killed and owners move",
  { timeout: TRIAL_TIMEOUT_MS },
  () => runCellsTrial(world, NAMES, owners, receiver),
);
