import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { type Cluster, startCluster } from "../support/cluster.js";
import { type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { environmentOf, type ServiceProcess } from "../support/program.js";
import { hang, startReceiver } from "../support/receiver.js";
import { scrape } from "../support/scrape.js";

const ROUNDS = 20;
const METRICS_TOKEN = "0123456789abcdef";

describe("two instances on one database", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let here: ServiceProcess;
  let there: ServiceProcess;
  let world: World;

  beforeAll(async () => {
    database = await takePostgresDatabase();
    cluster = await startCluster(database.url, 2, { METRICS_TOKEN });
    [here, there] = cluster.instances as [ServiceProcess, ServiceProcess];
  });
  afterAll(async () => {
    await cluster.remove();
    await database.drop();
  });
  beforeEach(async () => {
    const ownerToken = async (user: string) =>
      (await environmentOf(user, here, cluster.dataDir))["BOTYARD_TOKEN"] ?? "";
    world = await makeWorld({ url: here.url, ownerToken });
  });

  const asOwner = (at: ServiceProcess, method: string, path: string, body?: object, headers = {}) =>
    ask(at, method, path, { token: world.ownerToken, headers, ...(body && { body }) });
  const ofChannel = (path: string) => `/v1/channels/${world.channelId}${path}`;
  const ofBot = (path: string) => `/v1/bot-api/bots/${world.botId}${path}`;

  it.each(["channel.post_edited", "channel.post_deleted", "ticket.opened", "bot.detached"])(
    "%s at one wakes a poll at the other",
    async (kind) => {
      await asOwner(here, "PUT", ofBot("/subscription"), { event_types: [kind] });
      const { body: post } = await asOwner(here, "POST", ofChannel("/posts"), { body: "first" });
      const waiting = ask(there, "GET", "/v1/bot-api/updates?timeout=30", { token: world.botToken });
      await eventually("the poll waits", async () => (await waitingPolls(there)) > 0);
      const path = ofChannel(`/posts/${post.id}`);
      if (kind === "channel.post_edited") await asOwner(here, "PATCH", path, { body: "second" });
      if (kind === "channel.post_deleted") await asOwner(here, "DELETE", path);
      if (kind === "ticket.opened")
        await asOwner(here, "POST", ofChannel("/events"), { event_type: kind, payload: {} });
      if (kind === "bot.detached") await asOwner(here, "DELETE", ofChannel(""));
      expect((await waiting).body.items).toMatchObject([{ update_id: 1, event_type: kind }]);
    },
  );

  it("make one channel of an external id with a slug, however many calls come to both at the same moment", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [path, channel] = [
        `/v1/channels/external/twins-${round}`,
        { title: "Twins", slug: `twins-${round}` },
      ];
      const answers = await Promise.all(
        [here, there, here, there].map((at) => asOwner(at, "PUT", path, channel)),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 201]);
    }
  });

  it("publish one post for one key, however many calls come to both at the same moment", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        [here, there, here, there].map((at, twin) =>
          asOwner(
            at,
            "POST",
            ofChannel("/posts"),
            { body: `twin ${twin}` },
            { "idempotency-key": `${round}` },
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true");
      expect(replayed).toHaveLength(3);
    }
    const { body } = await ask(there, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toHaveLength(ROUNDS);
    const posts = await asOwner(there, "GET", ofChannel("/posts"));
    expect(posts.body.items).toHaveLength(ROUNDS);
  });

  it("emit one event for one key", async () => {
    const emit = (at: ServiceProcess) =>
      asOwner(at, "POST", ofBot("/events"), { event_type: "a.b", payload: {} }, { "idempotency-key": "e" });
    const answers = await Promise.all([here, there, here, there].map(emit));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { body } = await ask(there, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toHaveLength(1);
  });

  it("edit one post in turns, so that no revision is lost", async () => {
    const { body: post } = await asOwner(here, "POST", ofChannel("/posts"), { body: "first" });
    const edits = await Promise.all(
      [here, there, here, there].map((at, number) =>
        asOwner(at, "PATCH", ofChannel(`/posts/${post.id}`), { body: `edit ${number}` }),
      ),
    );
    expect(edits.map(({ body }) => body.revision).sort((a, b) => a - b)).toEqual([2, 3, 4, 5]);
    const last = edits.find(({ body }) => body.revision === 5);
    expect((await asOwner(there, "GET", ofChannel(`/posts/${post.id}`))).body).toEqual(last?.body);
  });

  it("erase what the other has queued of a deleted post", async () => {
    const receiver = await startReceiver(hang);
    await asOwner(here, "PUT", ofBot("/webhook"), { url: receiver.url });
    const sent: string[] = [];
    for (let count = 0; count < 40; count++)
      sent.push((await asOwner(here, "POST", ofChannel("/posts"), { body: `secret ${count}` })).body.id);
    await eventually("the receiver hangs", () => receiver.underWay() > 0);
    // Whichever instance holds the lane: each deletes half of what has not been begun.
    const begun = new Set(receiver.requests.map(({ updateId }) => updateId));
    const queued = sent.filter((_, index) => !begun.has(index + 1));
    expect(queued.length).toBeGreaterThan(0);
    for (const [index, id] of queued.entries())
      await asOwner(index % 2 === 0 ? here : there, "DELETE", ofChannel(`/posts/${id}`));
    const before = receiver.requests.length;
    receiver.answerWith((response) => response.end());
    await asOwner(there, "PUT", ofBot("/webhook"), { url: `${receiver.url}?again` });
    await eventually("everything is delivered", async () => {
      const { body } = await asOwner(here, "GET", ofBot("/stats"));
      return body.delivered_updates === body.total_updates;
    });
    const later = receiver.requests
      .slice(before)
      .filter(({ body }) => queued.some((id) => body.includes(id)));
    expect(new Set(later.map(({ updateId }) => updateId)).size).toBe(queued.length);
    expect(later.filter(({ body }) => body.includes("secret"))).toEqual([]);
    await receiver.close();
  });
});

async function waitingPolls({ url }: ServiceProcess): Promise<number> {
  return (await scrape(`${url}/metrics`, METRICS_TOKEN)).get("botyard_polls_waiting") ?? 0;
}
