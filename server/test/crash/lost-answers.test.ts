import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { createFaultPoints } from "../support/fault-points.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";

/** What stores a post with a key: on SQLite a transaction, on PostgreSQL one statement. */
const STORING = /^after (COMMIT|append-posts)/;
/** Of all points: the post may once be stored with the work of others, at the point of theirs. */
const MAX_ROUNDS = 3;

describe(`a service on ${engine.name} that is killed before it answers`, () => {
  const points = createFaultPoints();
  let home: StoreHome;
  let service: ServiceProcess;
  let world: World;

  const start = async (): Promise<void> => {
    service = await startServiceProcess(home.dataDir, {
      ...home.environment,
      ...points.environment,
      LOG_LEVEL: "warn",
    });
  };
  const publish = (key: string): Promise<Answer> =>
    ask(service, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
      token: world.botToken,
      body: { body: key },
      headers: { "idempotency-key": key },
    });
  const isDead = (): boolean => service.child.exitCode !== null || service.child.signalCode !== null;

  beforeAll(async () => {
    home = await engine.createHome();
    await start();
    const ownerToken = async (user: string) =>
      (await environmentOf(user, service, home.dataDir))["BOTYARD_TOKEN"] ?? "";
    world = await makeWorld({ url: service.url, ownerToken });
    // A process notes each point once: the next one notes those of the test, though the world has reached them too.
    await service.stop("SIGKILL");
    await start();
  });
  afterAll(async () => {
    points.disarm();
    await service.stop("SIGKILL");
    await home.remove();
    points.remove();
  });

  it("publishes one post when the call comes again with its key", async () => {
    const published = ["alive-1", "alive-2", "alive-3"];
    // A transaction is named by its last statement: some of these hold the work of others, or that as well.
    const reached = await points.reachedIn(async () => {
      for (const key of published) expect((await publish(key)).status).toBe(201);
    });
    const storing = reached.filter((point) => STORING.test(point));
    expect(storing.length).toBeGreaterThan(0);

    let replayed = 0;
    const rounds = Array.from({ length: MAX_ROUNDS }, () => storing);
    for (const [at, point] of rounds.flat().entries()) {
      if (at >= storing.length && replayed > 0) break;
      const key = `key-${published.length}`;
      published.push(key);
      points.arm(point);
      const answer = await publish(key).catch(() => undefined);
      points.disarm();
      // What commits other work at the same point kills the service too, perhaps just after it has answered.
      const again = await publish(key).catch(async () => {
        await eventually("the service is killed", isDead);
        await start();
        return await publish(key);
      });
      expect(again.status, again.text).toBe(201);
      if (!answer && again.headers.get("idempotency-replayed") === "true") replayed += 1;
    }
    expect(replayed, storing.join("\n")).toBeGreaterThan(0);

    const { body: posts } = await ask(service, "GET", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
    });
    const bodies = posts.items.map((post: { body: string }) => post.body);
    expect(bodies.toReversed()).toEqual(published);
    const { body: log } = await ask(service, "GET", "/v1/bot-api/updates", { token: world.botToken });
    const logged = log.items.map((update: { payload: { body: string } }) => update.payload.body);
    expect(logged).toEqual(published);
  });
});
