import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type CellsUnderFaults, keepPosting, type PostingOwner } from "./cells-under-faults.js";
import { eventually } from "./eventually.js";
import type { Receiver } from "./receiver.js";

/** How long a trial goes on. */
const TRIAL_SECONDS = Number(process.env["CELLS_TRIAL_SECONDS"] ?? 6);
/** Each move opens connections of its own. */
const MOVE_EVERY_MS = 400;
const SEED = Number(process.env["CELLS_TRIAL_SEED"] ?? Date.now() % 1_000_000);
/** Until everything is delivered after the last fault: leases run out, receivers are tried again. */
const PATIENCE_MS = 90_000;
export const TRIAL_TIMEOUT_MS = TRIAL_SECONDS * 1_000 + PATIENCE_MS + 60_000;

/**
 * Kills instances, crashes and freezes servers, and moves owners between cells, at random, while all of them post; then everything
 * that was acknowledged is in each log once, in order, and was sent.
 *
 * @param names of the cells
 * @param owners whose webhooks are at paths of the receiver, by their place
 */
export async function runCellsTrial(
  world: CellsUnderFaults,
  names: readonly string[],
  owners: readonly PostingOwner[],
  receiver: Receiver,
): Promise<void> {
  const random = randomFrom(SEED);
  const endsAt = Date.now() + TRIAL_SECONDS * 1_000;
  let faults = 0;
  // With all kinds of faults, however slow the machine is.
  const isOver = (): boolean => Date.now() >= endsAt && faults >= 3;
  receiver.requests.length = 0;
  const before = new Map(
    await Promise.all(owners.map(async (one) => [one, (await updatesOf(world, one)).length] as const)),
  );
  const posting = owners.map((one) => keepPosting(world, one, isOver));
  const counts = { moved: 0, refused: 0, killed: 0, crashed: 0, frozen: 0 };
  const moving = (async () => {
    while (!isOver()) {
      const { owner } = owners[random(owners.length)] as PostingOwner;
      try {
        const admin = await world.admin();
        try {
          await admin.move(owner, names[random(names.length)] as string, () => {});
        } finally {
          await admin.close();
        }
        counts.moved += 1;
      } catch {
        counts.refused += 1;
      }
      await sleep(MOVE_EVERY_MS);
    }
  })();
  for (; !isOver(); faults++) {
    await sleep(random(1_500));
    const server = world.servers[random(world.servers.length)];
    // Each kind once before any is repeated.
    const what = faults < 3 ? faults : random(3);
    if (what === 0) {
      await world.restart(random(2)).catch(() => {});
      counts.killed += 1;
    } else if (what === 1) {
      await server?.crash();
      await sleep(random(1_500));
      await server?.start();
      counts.crashed += 1;
    } else {
      const thaw = await server?.freeze();
      await sleep(random(2_500));
      thaw?.();
      counts.frozen += 1;
    }
  }
  for (const server of world.servers) await server.start();
  for (const [place, { child }] of world.instances.entries())
    if (child.exitCode !== null || child.signalCode !== null) await world.restart(place);
  await Promise.all([...posting, moving]);
  // Whatever a killed mover has left.
  const admin = await world.admin();
  for (const { owner } of owners)
    await eventually(
      `${owner} can be moved`,
      () =>
        admin
          .move(owner, "first", () => {})
          .then(
            () => true,
            () => false,
          ),
      PATIENCE_MS,
    );
  const problems = [...(await admin.check(() => {})).values()].flatMap((found) => found.problems);
  await admin.close();
  const context = `seed ${SEED}, ${JSON.stringify(counts)}`;
  expect(problems, context).toEqual([]);

  for (const [index, one] of owners.entries()) {
    const path = "/v1/bot-api/updates?timeout=0";
    await eventually(
      "the cell is served",
      async () => (await world.asBot(one.token, "GET", path)).status === 200,
      PATIENCE_MS,
    );
    const updates = (await updatesOf(world, one)).slice(before.get(one));
    const bodies = updates.map(({ payload }) => payload.body);
    expect(
      bodies.filter((body) => one.acknowledged.includes(body)),
      `${context}, ${one.owner}`,
    ).toEqual(one.acknowledged);
    const delivered = () =>
      new Set(
        receiver.requests
          .filter(({ path }) => path === `/${index}`)
          .map(({ body }) => JSON.parse(body).payload.body),
      );
    const isSent = (): boolean => {
      const sent = delivered();
      return one.acknowledged.every((body) => sent.has(body));
    };
    await eventually(`${one.owner} is sent everything`, isSent, PATIENCE_MS).catch(() => {});
    const stats = await world.asOwner(one.owner, "GET", `/v1/bot-api/bots/${one.botId}/stats`);
    expect(isSent(), `${context}, ${one.owner}, ${stats.text}`).toBe(true);
  }
  if (TRIAL_SECONDS > 60)
    console.log(
      context,
      owners.map(({ acknowledged }) => acknowledged.length),
    );
}

/** All of a bot's updates, whose numbers have no gap. */
async function updatesOf(
  world: CellsUnderFaults,
  { token }: PostingOwner,
): Promise<{ update_id: number; payload: { body: string } }[]> {
  const all: { update_id: number; payload: { body: string } }[] = [];
  for (;;) {
    const offset = all.at(-1)?.update_id ?? 0;
    const { status, text, body } = await world.asBot(
      token,
      "GET",
      `/v1/bot-api/updates?offset=${offset}&limit=100&timeout=0`,
    );
    expect(status, text).toBe(200);
    if (body.items.length === 0) break;
    all.push(...body.items);
  }
  expect(all.map(({ update_id: id }) => id)).toEqual(all.map((_, index) => index + 1));
  return all;
}

/** @returns a function of whole numbers from 0, below what it is given: the same for the same seed */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
