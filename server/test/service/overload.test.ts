import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type Owner, ownerAt, readLog } from "../support/load.js";
import { floodWithPosts, type PostResults, percentile } from "../support/overload.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { residentBytes } from "../support/resident-memory.js";

/** `npm run soak` takes a minute. */
const SECONDS = Number(process.env["OVERLOAD_SECONDS"] ?? 2);
/** As many as keep the service busy, and no more than may wait. */
const STEADY_CONNECTIONS = 64;
const CONNECTIONS = 128;
/** The offered load, as a multiple of what the service carried. The next one where it carries that as well, because the machine has become faster. */
const TIMES = [2, 4, 8, 16];
const MEASURE_MS = 1_500;
const WARM_UP_MS = 500;
/** Allowed growth of memory for caches and heap; an unbounded queue would need many times this. */
const MAX_GROWTH_BYTES = 192 * 1024 * 1024;

describe(`more posts than ${engine.name} can store`, () => {
  let home: StoreHome;
  let service: ServiceProcess;
  let receiver: Receiver;
  let owner: Owner;
  let bot: { id: string; token: string };
  let to: { url: string; path: string; token: string };

  beforeEach(async () => {
    home = await engine.createHome();
    service = await startServiceProcess(home.dataDir, {
      ...home.environment,
      MAX_WAITING_POSTS: String(STEADY_CONNECTIONS),
      RATE_LIMIT_BURST: "1000000",
      RATE_LIMIT_PER_SECOND: "1000000",
      LOG_LEVEL: "warn",
    });
    receiver = await startReceiver();
    owner = ownerAt(await environmentOf("alice", service, home.dataDir));
    const channelId = await owner.createChannel("channel");
    bot = await owner.createBot("bot", [channelId]);
    to = { url: service.url, path: `/v1/bot-api/channels/${channelId}/posts`, token: bot.token };
  });
  afterEach(async () => {
    await service.stop("SIGKILL");
    await receiver.close();
    await home.remove();
  });

  it("are refused with 429 and Retry-After; accepted ones are kept, memory stays bounded, and it recovers at once", {
    timeout: 120_000 + SECONDS * 10_000,
  }, async () => {
    await floodWithPosts(to, STEADY_CONNECTIONS, WARM_UP_MS);
    const steady = await floodWithPosts(to, STEADY_CONNECTIONS, MEASURE_MS);
    const steadyRate = steady.accepted / (MEASURE_MS / 1000);
    const before = residentBytes(service);
    const stored = [...steady.ids];
    let flood = steady;
    for (const times of TIMES) {
      flood = await floodWithPosts(to, CONNECTIONS, SECONDS * 1000, steadyRate * times);
      stored.push(...flood.ids);
      if (flood.refused.size > 0) break;
    }
    const offered = flood.accepted + [...flood.refused.values()].reduce((sum, count) => sum + count, 0);
    const after = residentBytes(service);
    const recoveredAt = performance.now();
    await eventually("posts are accepted again", async () => (await floodWithPosts(to, 1, 1)).accepted === 1);
    const recoveryMs = performance.now() - recoveredAt;
    console.error(
      `${engine.name}: steady ${Math.round(steadyRate)} posts a second, ${shown(steady)}; ${(offered / SECONDS / steadyRate).toFixed(1)} times that for ${SECONDS} s: ${Math.round(flood.accepted / SECONDS)} a second, ${shown(flood)}, refused ${JSON.stringify([...flood.refused])}; again after ${Math.round(recoveryMs)} ms; resident ${mebibytes(before)} to ${mebibytes(after)} MiB`,
    );

    expect([...flood.refused.keys()]).toEqual([429]);
    expect(flood.withoutRetryAfter).toBe(0);
    expect(flood.accepted).toBeGreaterThan(0);
    if (before !== undefined && after !== undefined) expect(after - before).toBeLessThan(MAX_GROWTH_BYTES);
    const lines = service
      .stdout()
      .split("\n")
      .filter((line) => line.includes("posts_refused"));
    expect(lines.length).toBeLessThanOrEqual(1 + SECONDS / 60);
    expect(lines.length).toBeGreaterThan(0);
    expect(service.stdout()).not.toContain('"level":"error"');
    const logged = new Set((await readLog(service.url, bot.token)).map(({ payload }) => payload.post_id));
    expect(stored.filter((id) => !logged.has(id))).toEqual([]);
    const stats = await owner.get<Record<string, number>>(`/v1/bot-api/bots/${bot.id}/stats`);
    expect(stats["total_updates"]).toBe(logged.size);
  });
});

function shown({ acceptedMs }: PostResults): string {
  return `answered in ${percentile(acceptedMs, 0.5).toFixed(0)} ms (median), ${percentile(acceptedMs, 0.99).toFixed(0)} ms (p99)`;
}

function mebibytes(bytes = 0): number {
  return Math.round(bytes / 2 ** 20);
}
