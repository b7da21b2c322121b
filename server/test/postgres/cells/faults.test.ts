import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CellsUnderFaults,
  keepPosting,
  METRICS_TOKEN,
  makePostingOwner,
  type PostingOwner,
  startCellsUnderFaults,
} from "../../support/cells-under-faults.js";
import { eventually } from "../../support/eventually.js";
import { type Receiver, startReceiver } from "../../support/receiver.js";

/** `npm run cells-trial` goes on for longer. */
const SECONDS = Number(process.env["CELLS_TRIAL_SECONDS"] ?? 15);
const SEED = Number(process.env["CELLS_TRIAL_SEED"] ?? Date.now() % 1_000_000);
const NAMES = ["first", "b", "c"] as const;
const OWNERS = 9;
/** Until everything is delivered after the last fault: leases run out, receivers are tried again. */
const PATIENCE_MS = 90_000;

let world: CellsUnderFaults;
let receiver: Receiver;
let owners: PostingOwner[];

beforeAll(async () => {
  world = await startCellsUnderFaults(NAMES, 2);
  receiver = await startReceiver();
  owners = [];
  for (let n = 0; n < OWNERS; n++)
    owners.push(await makePostingOwner(world, `owner-${n}`, `http://127.0.0.1:${receiver.port}/${n}`));
}, 120_000);
afterAll(async () => {
  await world.close();
  await receiver.close();
});

async function homes(): Promise<Map<string, string>> {
  const admin = await world.admin();
  try {
    const found = new Map<string, string>();
    for (const name of NAMES) for (const owner of await admin.ownersOf(name, 100)) found.set(owner, name);
    return found;
  } finally {
    await admin.close();
  }
}

const ownerIn = async (cell: string): Promise<PostingOwner> => {
  const at = await homes();
  return owners.find(({ owner }) => at.get(owner) === cell) as PostingOwner;
};

describe("a cell whose server hangs or is down", () => {
  const read = ({ owner, channelId }: PostingOwner) =>
    world.asOwner(owner, "GET", `/v1/channels/${channelId}`);
  const post = ({ owner, channelId }: PostingOwner) =>
    world.asOwner(owner, "POST", `/v1/channels/${channelId}/posts`, { body: { body: "meanwhile" } });
  const ready = () => world.asBot("", "GET", "/readyz");

  it.each(["freeze", "crash"] as const)(
    "costs its owners 503 and nobody else, and serves again afterwards (%s)",
    async (how) => {
      const [there, stranger] = [await ownerIn("b"), await ownerIn("c")];
      const server = world.servers[1];
      const thaw = how === "freeze" ? await server?.freeze() : undefined;
      if (how === "crash") await server?.crash();
      await eventually("its owners are refused", async () => (await read(there)).status === 503);
      await eventually("that is said", async () => {
        await read(there);
        return (await ready()).body.cells_away;
      });
      const { status, body } = await ready();
      expect([status, body]).toEqual([200, { status: "ready", cells_away: ["b"] }]);
      for (let n = 0; n < 20; n++) {
        const startedAt = performance.now();
        const [refused, made] = await Promise.all([read(there), post(stranger)]);
        expect([refused.status, made.status]).toEqual([503, 201]);
        // A call that waited for the other server would take seconds.
        expect(performance.now() - startedAt).toBeLessThan(1_500);
      }
      // Who is new lives elsewhere.
      expect(
        (await world.asOwner(`new ${how}`, "POST", "/v1/channels", { body: { slug: how, title: "x" } }))
          .status,
      ).toBe(201);
      thaw?.();
      await server?.start();
      await eventually("its owners are served", async () => (await read(there)).status === 200);
      expect((await post(there)).status).toBe(201);
      await eventually("it is ready", async () => (await ready()).body.cells_away === undefined);
      expect((await homes()).get(`new ${how}`)).not.toBe("b");
    },
  );

  it("keeps no instance from starting", async () => {
    await world.servers[1]?.crash();
    const [there, stranger] = [await ownerIn("b"), await ownerIn("c")];
    await world.restart(0);
    expect((await read(stranger)).status).toBe(200);
    expect((await read(there)).status).toBe(503);
    await world.servers[1]?.start();
    await eventually("it is opened", async () => (await read(there)).status === 200);
  });
});

describe("the directory", () => {
  it("is not needed for those whom an instance knows", async () => {
    const known = await ownerIn("b");
    const path = `/v1/channels/${known.channelId}/posts`;
    const post = () =>
      world.asBot(known.token, "POST", `/v1/bot-api/channels/${known.channelId}/posts`, {
        body: { body: "known" },
      });
    expect((await post()).status).toBe(201);
    expect((await world.asOwner(known.owner, "GET", path)).status).toBe(200);
    await world.servers[0]?.crash();
    expect((await post()).status).toBe(201);
    expect((await world.asOwner(known.owner, "GET", path)).status).toBe(200);
    expect((await world.asOwner("unknown to all", "GET", "/v1/channels")).status).toBe(503);
    const isSaidToBeAway = async () => [
      (await world.asBot("", "GET", "/readyz")).body.directory_away,
      /^botyard_directory_away (\d)$/m.exec((await world.asBot(METRICS_TOKEN, "GET", "/metrics")).text)?.[1],
    ];
    await eventually("that is said", async () => (await isSaidToBeAway())[0]);
    expect(await isSaidToBeAway()).toEqual([true, "1"]);
    await world.servers[0]?.start();
    await eventually("it can be asked again", async () => (await isSaidToBeAway())[1] === "0");
    expect(await isSaidToBeAway()).toEqual([undefined, "0"]);
    await eventually(
      "who is unknown is asked for",
      async () => (await world.asOwner("unknown to all", "GET", "/v1/channels")).status === 200,
    );
  });
});

describe("instances and servers that are killed while owners move", () => {
  it("lose, double and reorder nothing", { timeout: SECONDS * 1_000 + PATIENCE_MS + 60_000 }, async () => {
    const random = randomFrom(SEED);
    const endsAt = Date.now() + SECONDS * 1_000;
    const isOver = (): boolean => Date.now() >= endsAt;
    receiver.requests.length = 0;
    const before = new Map(
      await Promise.all(owners.map(async (one) => [one, (await updatesOf(one)).length] as const)),
    );
    const posting = owners.map((one) => keepPosting(world, one, isOver));
    const counts = { moved: 0, refused: 0, killed: 0, crashed: 0, frozen: 0 };
    const moving = (async () => {
      while (!isOver()) {
        const { owner } = owners[random(OWNERS)] as PostingOwner;
        try {
          const admin = await world.admin();
          try {
            await admin.move(owner, NAMES[random(NAMES.length)] as string, () => {});
          } finally {
            await admin.close();
          }
          counts.moved += 1;
        } catch {
          counts.refused += 1;
        }
        await sleep(200);
      }
    })();
    while (!isOver()) {
      await sleep(random(2_000));
      const server = world.servers[random(NAMES.length)];
      const what = random(3);
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
    for (const place of [0, 1]) await world.restart(place);
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
      const updates = (await updatesOf(one)).slice(before.get(one));
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
    if (SECONDS > 60)
      console.log(
        context,
        owners.map(({ acknowledged }) => acknowledged.length),
      );
  });

  /** All of a bot's updates, whose numbers have no gap. */
  async function updatesOf({
    token,
  }: PostingOwner): Promise<{ update_id: number; payload: { body: string } }[]> {
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
});

/** @returns a function of whole numbers from 0, below what it is given: the same for the same seed */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
