import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Owner, ownerAt } from "../support/load.js";
import { environmentOf } from "../support/program.js";

const MAX_POSTS = 20;
const NEWS_POSTS = 50 * MAX_POSTS;
const NEWS_AT_ONCE = 50;

type Bot = Awaited<ReturnType<Owner["createBot"]>>;

let home: StoreHome;
let services: InProcessService[];
let owner: Owner;
let channelId: string;
let isOver: boolean;
beforeEach(async () => {
  home = await engine.createHome();
  services = [await start()];
  owner = ownerAt(await environmentOf("alice", service(), home.dataDir));
  channelId = await owner.createChannel("channel");
  isOver = false;
});
afterEach(async () => {
  isOver = true;
  for (const one of services) await one.stop();
  await home.remove();
});

const service = () => services[0] as InProcessService;
const start = () =>
  startInProcessService(home.dataDir, {
    ...home.environment,
    MAX_BOT_LOOP_POSTS: String(MAX_POSTS),
    RATE_LIMIT_BURST: "1000000",
    LOG_LEVEL: "warn",
  });
const makeBot = (username: string) => owner.createBot(username, [channelId]);
const postAs = ({ token }: Pick<Bot, "token">, body: string, at = service()) =>
  ask(at, "POST", `/v1/bot-api/channels/${channelId}/posts`, { token, body: { body } });
const postAsOwner = () =>
  ask(service(), "POST", `/v1/channels/${channelId}/posts`, { token: owner.token, body: { body: "hello" } });
const channel = () => owner.get<{ bots_in_loop?: string[] }>(`/v1/channels/${channelId}`);

/** A bot that answers every post of others, and tries again when it is told to. */
function startEcho(bot: Bot, at = service()) {
  const answers: string[] = [];
  const refusals: Awaited<ReturnType<typeof ask>>[] = [];
  const answer = async (body: string): Promise<void> => {
    while (!isOver) {
      const answered = await postAs(bot, `you said: ${body.slice(-50)}`, at);
      if (answered.status === 201) answers.push(answered.body.id);
      if (answered.status !== 429) return;
      refusals.push(answered);
      await sleep(Number(answered.headers.get("retry-after")) * 1000);
    }
  };
  const running = (async () => {
    for (let offset = 0; !isOver; ) {
      const path = `/v1/bot-api/updates?offset=${offset}&timeout=1`;
      const { body } = await ask(at, "GET", path, { token: bot.token });
      for (const { update_id, payload } of body.items) {
        offset = update_id;
        if (payload.author.id !== bot.id) await answer(payload.body);
      }
    }
  })();
  return { answers, refusals, running };
}

describe(`bots in a channel on ${engine.name}`, () => {
  it("that answer each other are slowed until a person posts", async () => {
    const bots = [await makeBot("one"), await makeBot("two")];
    const echoes = bots.map((bot) => startEcho(bot));
    const answered = () => echoes.flatMap(({ answers }) => answers).length;
    const refused = () => echoes.flatMap(({ refusals }) => refusals);
    await postAsOwner();
    const startedAt = performance.now();
    const refusal = await eventually("one has to wait", () => refused()[0]);
    expect(answered()).toBeLessThanOrEqual(MAX_POSTS + 1 + (performance.now() - startedAt) / 1000);
    expectFailure("createBotPost", refusal, 429, "bots answer each other in this channel");
    expect(refusal.headers.get("botyard-error")).toBe("bot_loop");
    expect(refusal.headers.get("retry-after")).toBe("1");
    expect((await channel()).bots_in_loop?.toSorted()).toEqual(bots.map(({ id }) => id).toSorted());

    // A bot that only publishes goes on beside them.
    const news = await makeBot("news");
    await ask(service(), "PUT", `/v1/bot-api/bots/${news.id}/subscription`, {
      token: owner.token,
      body: { event_types: ["ticket.*"] },
    });
    for (let n = 0; n < 2 * MAX_POSTS; n += 1) expect((await postAs(news, "news")).status).toBe(201);

    isOver = true;
    await Promise.all(echoes.map(({ running }) => running));
    const postInTurn = async (count: number) => {
      const statuses: number[] = [];
      for (let n = 0; n < count; n += 1) statuses.push((await postAs(bots[n % 2] as Bot, "again")).status);
      return statuses;
    };
    await eventually("they still have to wait", async () => (await postInTurn(2)).includes(429));
    await postAsOwner();
    await eventually("they go on", async () =>
      (await postInTurn(MAX_POSTS / 2)).every((status) => status === 201),
    );
    const lines = service().stdout().split("\n");
    expect(lines.filter((line) => line.includes('"event":"bot_loop"'))).toHaveLength(1);
    expect(lines.find((line) => line.includes('"event":"bot_loop"'))).toContain(channelId);
  });

  it("that publish without answering are not slowed, however much it is", async () => {
    const [news, listener] = [await makeBot("news"), await makeBot("listener")];
    let left = NEWS_POSTS;
    const statuses = new Set<number>();
    const publishing = async () => {
      while (left-- > 0) statuses.add((await postAs(news, "news")).status);
    };
    await Promise.all(Array.from({ length: NEWS_AT_ONCE }, publishing));
    expect([...statuses]).toEqual([201]);
    expect((await postAs(listener, "what news!")).status).toBe(201);
    expect(await channel()).not.toHaveProperty("bots_in_loop");
  });

  it.runIf(engine.name === "postgres")(
    "that answer each other by way of two instances are slowed",
    async () => {
      const there = await start();
      services.push(there);
      const echoes = [startEcho(await makeBot("one")), startEcho(await makeBot("two"), there)];
      await postAsOwner();
      await eventually("one has to wait", () => echoes.some(({ refusals }) => refusals.length > 0));
      isOver = true;
      await Promise.all(echoes.map(({ running }) => running));
    },
  );
});
