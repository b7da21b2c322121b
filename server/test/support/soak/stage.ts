import { setTimeout as sleep } from "node:timers/promises";
import { type Follower, startFollower } from "../cluster.js";
import { engine, type StoreHome } from "../engines.js";
import { type FaultProxy, startFaultProxy } from "../fault-proxy.js";
import { type Owner, ownerAt } from "../load.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../program.js";
import { residentBytes } from "../resident-memory.js";
import { createShiftedClock, type ShiftedClock } from "../shifted-clock.js";
import { type PacedPosts, startPacedPosts, type Target } from "./paced-posts.js";
import { startTallyReceiver, type TallyReceiver } from "./tally-receiver.js";

const CHANNELS = 3;
/** Seconds apart at most, so that a receiver that is mended is soon noticed; more of them than any fault lasts. */
const RETRIES = ["200ms", "500ms", ...Array.from({ length: 40 }, () => "1s")].join();
const SAMPLE_EVERY_MS = 1_000;

/** A bot of the soak: what it should get, and what it got. */
export interface SoakedBot {
  id: string;
  token: string;
  /** The channels it is attached to, by place. */
  channels: readonly number[];
  /** Only of a bot with a webhook. */
  receiver?: TallyReceiver;
  /** Only of one that polls. */
  follower?: Follower;
}

/** Everything around the service of a soak. */
export interface Stage {
  home: StoreHome;
  clock: ShiftedClock;
  bots: readonly SoakedBot[];
  proxies: readonly FaultProxy[];
  posts: PacedPosts;
  service(): ServiceProcess;
  owner(): Promise<Owner>;
  /** Starts another service in place of the ended one. */
  restart(): Promise<void>;
  /** Resident memory of the services over time; a new entry of `lives` with each start. */
  lives: { atMs: number; bytes: number }[][];
  close(): Promise<void>;
}

/** Bots with webhooks and bots that poll, in all ways attached to the channels, and posts in these at a steady pace. */
export async function setStage(postsPerSecond: number): Promise<Stage> {
  const home = await engine.createHome();
  const clock = createShiftedClock();
  const start = () =>
    startServiceProcess(home.dataDir, {
      ...home.environment,
      ...clock.environment,
      WEBHOOK_TIMEOUT_MS: "2000",
      WEBHOOK_RETRY_SCHEDULE: RETRIES,
      RATE_LIMIT_BURST: "1000000",
      RATE_LIMIT_PER_SECOND: "1000000",
      LOG_LEVEL: "error",
    });
  let service = await start();
  const url = (): string => service.url;
  const ownerNow = async () => ownerAt(await environmentOf("alice", service, home.dataDir));
  const owner = await ownerNow();

  const channelIds: string[] = [];
  for (let place = 0; place < CHANNELS; place++)
    channelIds.push(await owner.createChannel(`channel-${place}`));
  const bots: SoakedBot[] = [];
  const proxies: FaultProxy[] = [];
  for (const channels of [[0], [1], [0, 1], [0, 1, 2]]) {
    const receiver = await startTallyReceiver();
    const proxy = await startFaultProxy(receiver.port);
    const bot = await makeBot(channels);
    await owner.setWebhook(bot.id, `http://127.0.0.1:${proxy.port}/hook`, "secret");
    proxies.push(proxy);
    bots.push({ ...bot, channels, receiver });
  }
  for (const channels of [[2], [1, 2]]) {
    const bot = await makeBot(channels);
    bots.push({ ...bot, channels, follower: startFollower(url, bot.token) });
  }
  // The bot that posts in a channel is one of those attached; in the last the owner does.
  const targets = channelIds.map((channelId, place): Target => {
    const author = place < CHANNELS - 1 ? bots.find(({ channels }) => channels.includes(place)) : undefined;
    return author
      ? { path: `/v1/bot-api/channels/${channelId}/posts`, token: author.token }
      : { path: `/v1/channels/${channelId}/posts`, token: owner.token };
  });

  const lives: { atMs: number; bytes: number }[][] = [[]];
  const sampling = setInterval(() => {
    const bytes = residentBytes(service);
    if (bytes) lives.at(-1)?.push({ atMs: performance.now(), bytes });
  }, SAMPLE_EVERY_MS);

  const posts = startPacedPosts(url, targets, postsPerSecond);
  return {
    home,
    clock,
    bots,
    proxies,
    posts,
    lives,
    service: () => service,
    owner: ownerNow,
    async restart() {
      await service.exit;
      for (;;) {
        try {
          service = await start();
          break;
        } catch {
          // The store may have a fault now.
          await sleep(200);
        }
      }
      lives.push([]);
    },
    async close() {
      clearInterval(sampling);
      await posts.stop();
      for (const { follower } of bots) await follower?.stop();
      await service.stop("SIGKILL");
      for (const closing of [...proxies, ...bots.flatMap(({ receiver }) => receiver ?? [])])
        await closing.close();
      await home.remove();
      clock.remove();
    },
  };

  async function makeBot(channels: readonly number[]): Promise<{ id: string; token: string }> {
    const ids = channels.map((place) => channelIds[place] ?? "");
    return await owner.createBot(`bot-${bots.length}`, ids);
  }
}
