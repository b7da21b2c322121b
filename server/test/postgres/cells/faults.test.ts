import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCellsTrial, TRIAL_TIMEOUT_MS } from "../../support/cells-trial.js";
import {
  type CellsUnderFaults,
  METRICS_TOKEN,
  makePostingOwner,
  type PostingOwner,
  startCellsUnderFaults,
} from "../../support/cells-under-faults.js";
import { eventually } from "../../support/eventually.js";
import { type Receiver, startReceiver } from "../../support/receiver.js";

const NAMES = ["first", "b", "c"] as const;
const OWNERS = 9;

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
  it("lose, double and reorder nothing", { timeout: TRIAL_TIMEOUT_MS }, () =>
    runCellsTrial(world, NAMES, owners, receiver),
  );
});
