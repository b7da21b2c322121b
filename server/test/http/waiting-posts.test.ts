import { afterEach, beforeEach, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { ownerAt } from "../support/load.js";
import { environmentOf } from "../support/program.js";

const MAX_WAITING = 4;

let home: StoreHome;
let service: InProcessService;
beforeEach(async () => {
  home = await engine.createHome();
  service = await startInProcessService(home.dataDir, {
    ...home.environment,
    MAX_WAITING_POSTS: String(MAX_WAITING),
    LOG_LEVEL: "warn",
  });
});
afterEach(async () => {
  await service.stop();
  await home.remove();
});

it(`posts beyond the limit of waiting ones are refused at once on ${engine.name}, with one line in the log, and accepted later`, async () => {
  const owner = ownerAt(await environmentOf("alice", service, home.dataDir));
  const channelId = await owner.createChannel("channel");
  const bot = await owner.createBot("bot", [channelId]);
  const post = (path: string, token: string) =>
    ask(service, "POST", path, { token, body: { body: "a post" } });
  const asBot = () => post(`/v1/bot-api/channels/${channelId}/posts`, bot.token);
  const asOwner = () => post(`/v1/channels/${channelId}/posts`, owner.token);
  expect((await asBot()).status).toBe(201);

  const unlock = await home.lockWrites();
  const waiting = Array.from({ length: MAX_WAITING }, asBot);
  const refusals = await eventually("there is no place left", async () => {
    const answers = await Promise.all([asBot(), asOwner()]);
    return answers.every(({ body }) => String(body.error).startsWith("too many of your posts"))
      ? answers
      : undefined;
  });
  await unlock();
  expectFailure(
    "createBotPost",
    refusals[0],
    429,
    "too many of your posts wait to be stored: try again in 1 s",
  );
  expectFailure("createChannelPost", refusals[1], 429, "too many of your posts wait to be stored");
  for (const { headers } of refusals) expect(headers.get("retry-after")).toBe("1");
  await Promise.all(waiting);
  await eventually("posts are taken again", async () => (await asBot()).status === 201);
  const lines = service.stdout().split("\n");
  expect(lines.filter((line) => line.includes('"event":"posts_refused"'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('"TooManyPosts"'))).toEqual([]);
});

it(`an owner who fills the place of waiting posts on ${engine.name} does not get those of others refused`, async () => {
  const [greedy, stranger] = await Promise.all(
    ["alice", "bob"].map(async (user) => {
      const owner = ownerAt(await environmentOf(user, service, home.dataDir));
      return { owner, channelId: await owner.createChannel(`channel-of-${user}`) };
    }),
  );
  const post = ({ owner, channelId }: NonNullable<typeof greedy>) =>
    ask(service, "POST", `/v1/channels/${channelId}/posts`, { token: owner.token, body: { body: "a post" } });
  if (!greedy || !stranger) throw new Error("there are two owners");
  expect([(await post(greedy)).status, (await post(stranger)).status]).toEqual([201, 201]);

  const unlock = await home.lockWrites();
  const waiting = Array.from({ length: MAX_WAITING }, () => post(greedy));
  // Requests of one moment may be let in before any of them is counted; by this answer these four are.
  await ask(service, "GET", "/livez", {});
  const asked = [...waiting, post(greedy)];
  expect((await Promise.race(asked)).status).toBe(429);
  const answer = post(stranger);
  expect((await Promise.race([answer, post(greedy)])).status).toBe(429);
  await unlock();
  expect((await answer).status).toBe(201);
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_WAITING);
});
