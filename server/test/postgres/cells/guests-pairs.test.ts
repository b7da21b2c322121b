import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { type ApartWorld, type Instance, openApartWorld, type Scene } from "../../support/apart-world.js";
import { Course } from "../../support/courses.js";
import { type Call, PAIRS, type Pair, REPEATED, REVERSED } from "../../support/pair-calls.js";
import { type Made, possibleAfter, replyOf, type State } from "../../support/pair-model.js";
import { randomFrom } from "../../support/posters.js";

/** More finds more: `PAIRS_RUNS=50`. */
const RUNS = Number(process.env["PAIRS_RUNS"] ?? 3);
const SEED = Number(process.env["PAIRS_SEED"] ?? Date.now() % 1_000_000);
/** Pairs of which one call dies with the same instance. */
const DYING = 24;
/** A call that takes longer hangs. */
const PATIENCE_MS = 15_000;
/** A call that says that a cell cannot be asked has waited for it before: what is there or not is known at once. */
const SHORTEST_WAIT_MS = 1_000;
/** For how long a call that is stopped waits for the other one, which may wait for it. */
const STOP_MS = 250;
const MOST_OFFSET_MS = 60;
/** How many verbs a call is taken to do before one was seen. */
const FIRST_GUESS = 12;

let world: ApartWorld;
const random = randomFrom(SEED);
/** How many verbs each call was seen to do. */
const lengths = new Map<string, number>();

beforeAll(async () => {
  world = await openApartWorld();
  // Afterwards the logs between both cells are there; that they are made at once is tried too.
  await Promise.all([world.makeScene("member"), world.makeScene("member")]);
}, 60_000);
afterAll(async () => await world?.close());

/** Makes a call, and waits for its answer. */
async function make(call: Call, { store }: Instance, scene: Scene, course: Course): Promise<Made> {
  const { name, rule } = call;
  const beganAt = performance.now();
  const hanging = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${name} hangs`);
  });
  const answer = course.run(async () => await call.run(store, scene));
  const reply = await Promise.race([answer, hanging]).then(() => "done" as const, replyOf);
  lengths.set(name, Math.max(lengths.get(name) ?? 0, course.begun));
  return { name, rule, reply, beganAt, endedAt: performance.now() };
}

/** Both at nearly the same time. */
async function besideEachOther({ one, other }: Pair, scene: Scene): Promise<[Made, Made, string]> {
  const [here, there] = world.instances;
  const [early, late] = [random(MOST_OFFSET_MS), random(MOST_OFFSET_MS)];
  const [a, b] = await Promise.all([
    sleep(early).then(() => make(one, here, scene, new Course())),
    sleep(late).then(() => make(other, there, scene, new Course())),
  ]);
  return [a, b, `after ${early} and ${late} ms`];
}

/** The other one while the first is stopped at one of its steps. */
async function within(outer: Call, inner: Call, scene: Scene): Promise<[Made, Made, string]> {
  const [here, there] = world.instances;
  const stopAt = random(lengths.get(outer.name) ?? FIRST_GUESS);
  const course = new Course(stopAt);
  const first = make(outer, here, scene, course);
  await Promise.race([course.isStopped, first]);
  const second = make(inner, there, scene, new Course());
  await Promise.race([second, sleep(STOP_MS)]);
  course.release();
  return [await first, await second, `${outer.name} stopped at ${stopAt}`];
}

interface Tried {
  pair: Pair;
  scene: Scene;
  made: [Made, Made];
  how: string;
}

async function attempt(pair: Pair, run: number): Promise<Tried> {
  const scene = await world.makeScene(pair.role);
  const [one, other, how] =
    run % 4 === 0 || run % 4 === 3
      ? await besideEachOther(pair, scene)
      : await (run % 4 === 1 ? within(pair.one, pair.other, scene) : within(pair.other, pair.one, scene));
  return { pair, scene, made: [one, other], how };
}

const stateOf = ({ bot, isDisabled, channel, role, direct, roleInRoom }: State): string =>
  JSON.stringify([
    bot,
    isDisabled,
    channel,
    role ?? null,
    direct ? (direct.role ?? "left") : null,
    roleInRoom ?? null,
  ]);

/** Whatever is wrong about what two calls have left. */
async function faultsOf({ scene, made }: Tried): Promise<string[]> {
  const { disagreements: faults, ...found } = await world.find(scene);
  const possible = possibleAfter(scene.before, ...made).map(stateOf);
  if (!possible.includes(stateOf(found)))
    faults.push(`${stateOf(found)} is none of ${[...new Set(possible)].join(" ")}`);
  for (const { name, reply, beganAt, endedAt } of made)
    if (reply === "unavailable" && endedAt - beganAt < SHORTEST_WAIT_MS)
      faults.push(`${name} is unavailable at once`);
  const { words, maker, holder } = scene;
  const isDone = (name: string): boolean => made.some((one) => one.name === name && one.reply === "done");
  const gone = [
    ...(found.channel ? [] : [`title-${words}`, `held-${words}`, `said-${words}`]),
    ...(found.bot === "gone" ? [`about-${words}`] : []),
    ...(isDone("eraseMaker") ? [maker, `said-${words}`, `bot-${words}`] : []),
    ...(isDone("eraseHolder") && found.direct === undefined && !found.hasRoom ? [holder] : []),
    ...(found.hasRoom ? [] : [`room-${words}`]),
  ];
  if (gone.length > 0)
    faults.push(...(await world.placesOf(gone.join("|"))).map((place) => `left in ${place.slice(0, 400)}`));
  return faults;
}

/** What is left of the bot and the channel, when both are. */
const isThere = async ({ scene }: Tried): Promise<boolean> => {
  const { bot, channel } = await world.find(scene);
  return bot !== "gone" && channel;
};

async function postLast({ scene: { words, holder, channelId } }: Tried): Promise<void> {
  for (const [n, { store }] of world.instances.entries())
    await publishPost(
      store,
      { ownerUserId: holder, username: "h" },
      { channelId, body: `held-${words}-last-${n}` },
    );
}

/** Whether the bot has heard what it has to, and nothing else. */
async function hearingFaults({ scene, made }: Tried): Promise<string[]> {
  const { bot, channelId, words, posted } = scene;
  const { role } = await world.find(scene);
  const heard = (await world.heardBy(bot.botId)).filter((body) => body.startsWith(`held-${words}`));
  const last = heard.filter((body) => body.includes("last")).length;
  const faults = last === (role === undefined ? 0 : 2) ? [] : [`hears ${last} of the last posts as ${role}`];
  const listed = (await world.instances[0].store.listPosts(channelId, 100)) ?? [];
  const inOrder = listed
    .map(({ body }) => body)
    .toReversed()
    .filter((body) => heard.includes(body));
  if (heard.join() !== inOrder.join()) faults.push(`hears ${heard.join()}, and posted was ${inOrder.join()}`);
  const missing = posted.filter((body) => !heard.includes(body));
  if (missing.length > 0) faults.push(`has not heard ${missing.join()}`);
  const post = made.find(({ name, reply }) => name === "postAsHolder" && reply === "done");
  const isHeard = post !== undefined && heard.includes(`held-${words}-1`);
  const wasThere = post && made.every((one) => one === post || one.beganAt > post.endedAt);
  if (wasThere && !isHeard) faults.push("has not heard what was posted while it was there");
  return faults;
}

const described = ({ pair: { one, other }, scene, made, how }: Tried): string => {
  const calls = made.map(
    ({ name, reply, beganAt, endedAt }) => `${name} ${reply} ${beganAt.toFixed(0)}-${endedAt.toFixed(0)}`,
  );
  return `${one.name} x ${other.name} (${how}, ${scene.words}, seed ${SEED}): ${calls.join(", ")}`;
};

async function expectAllWell(tried: readonly Tried[]): Promise<void> {
  const faults: string[] = [];
  const look = async (some: readonly Tried[], faultsIn: (one: Tried) => Promise<string[]>): Promise<void> => {
    for (const one of some)
      faults.push(...(await faultsIn(one)).map((fault) => `${described(one)}: ${fault}`));
  };
  await world.settle();
  await look(tried, faultsOf);
  const left = await Promise.all(tried.map(isThere));
  const there = tried.filter((_, n) => left[n]);
  await Promise.all(there.map(postLast));
  await world.settle();
  await look(there, hearingFaults);
  faults.push(...(await world.findStray()).map((stray) => `stray: ${stray}`));
  expect(faults).toEqual([]);
}

describe("two calls at once", () => {
  for (const pair of PAIRS)
    it(`${pair.one.name} x ${pair.other.name}${pair.role ? " of one that is attached" : ""}`, async () => {
      const tried: Tried[] = [];
      for (let run = 0; run < RUNS; run += 4)
        tried.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(4, RUNS - run) }, (_, n) => attempt(pair, run + n)),
          )),
        );
      await expectAllWell(tried);
    });
});

/** The first call never ends, because its instance dies at one of its steps. */
async function afterDeath(
  { one, other }: Pair,
  scene: Scene,
  mortal: Instance,
  courses: Course[],
): Promise<Tried> {
  const stopAt = random(lengths.get(one.name) ?? FIRST_GUESS);
  const course = new Course(stopAt);
  courses.push(course);
  const beganAt = performance.now();
  const ended = make(one, mortal, scene, course).catch((): Made => lost);
  const lost: Made = { ...one, reply: "none", beganAt, endedAt: Number.POSITIVE_INFINITY };
  const first = await Promise.race([course.isStopped.then(() => lost), ended]);
  const second = await make(other, world.instances[1], scene, new Course());
  const how = `${one.name} dies at ${stopAt}`;
  return { pair: { one, other }, scene, made: [first, second], how };
}

describe("a call after another one whose instance has died", () => {
  const all = [...PAIRS, ...REVERSED, ...REPEATED];
  for (let run = 0; run < Math.max(1, RUNS / 8); run += 1)
    it(`leaves both cells alike, ${run + 1}`, async () => {
      const mortal = await world.open();
      const courses: Course[] = [];
      try {
        const some = Array.from({ length: DYING }, () => all[random(all.length)] as Pair);
        const scenes: Scene[] = [];
        for (const { role } of some) scenes.push(await world.makeScene(role));
        const dying = Promise.all(
          some.map((pair, n) => afterDeath(pair, scenes[n] as Scene, mortal, courses)),
        );
        await sleep(random(1_500));
        mortal.end();
        await expectAllWell(await dying);
      } finally {
        mortal.bury();
        // Its relay may be stopped, too.
        for (const course of courses) course.release();
        await mortal.store.close();
      }
    });
});
