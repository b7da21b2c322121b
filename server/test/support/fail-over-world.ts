import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ask } from "./api-client.js";
import { createDatabaseAt } from "./engines.js";
import { eventually } from "./eventually.js";
import { type InProcessService, startInProcessService } from "./in-process-service.js";
import { ownerAt } from "./load.js";
import { createPostgresServer, createStandby, type PostgresServer } from "./postgres-server.js";
import { environmentOf } from "./program.js";
import { type Receiver, startReceiver } from "./receiver.js";
import { type SwitchedProxy, startSwitchedProxy } from "./switched-proxy.js";

const PLATFORM_TOKEN = "platform-token-of-the-tests-0123456789abcdef";
/** Two instances are posted to at this pace, or slower; faster by `npm run fail-overs`. A fail-over loses some dozens; each is read and delivered ten times. */
const POST_EVERY_MS = process.env["FAIL_OVERS"] ? 50 : 80;
/** After a request that failed: nine repeat theirs for as long as there is no database. */
const REPEAT_AFTER_MS = 100;
/** How far the standby is behind. */
const BEHIND_MS = 1_500;
/** What is lost in a crash of the server itself is another test's subject. */
const FLAGS = ["-c", "fsync=off", "-c", "wal_keep_size=1GB", "-c", "max_wal_size=1GB"];

/** An entry of a log: `log/number`, and the id of its event. */
export type Entry = [place: string, eventId: string];

/**
 * Two instances of the service, the database behind a proxy, and a standby that is {@link BEHIND_MS} behind and can be promoted
 * under traffic, again and again.
 */
export interface FailOverWorld {
  instances: readonly InProcessService[];
  bots: readonly Bot[];
  /** Ids of the posts that were acknowledged. */
  acknowledged: string[];
  /** Ids of the posts that the feed's reader got. */
  fed: Set<string>;
  /** What any reader could have read before each fail-over, of all logs. */
  before: Entry[];
  /** Kills the primary and promotes the standby. Returns how many milliseconds it took until a post was stored. */
  failOver(): Promise<number>;
  entries(): Promise<Entry[]>;
  rows<Row extends object>(sql: string): Promise<Row[]>;
  /** Stops posting, and waits for the requests in flight. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

export interface Bot {
  id: string;
  token: string;
  receiver: Receiver;
  /** What its receiver accepted: each number with its event. */
  sent: Map<number, string>;
  /** The updates that the bot's readers got, as `reader number`, each with its event. */
  read: Map<string, string>;
  /** Numbers that were given to two events, as a reader sees it. */
  faults: string[];
  /** Values of the header that tells of skipped numbers. */
  skips: Set<string>;
}

interface Update {
  update_id: number;
  payload: { post_id: string };
}

export async function startFailOverWorld(botCount = 3): Promise<FailOverWorld> {
  const folder = await mkdtemp(join(tmpdir(), "botyard-fail-over-"));
  let isPosting = true;
  let isReading = true;
  let primary = await createPostgresServer(FLAGS);
  await primary.start();
  const { pathname } = new URL((await createDatabaseAt(primary.url)).url);
  const front = await startSwitchedProxy(primary.port);
  let standby: Awaited<ReturnType<typeof follow>> | undefined;

  const url = `postgres://postgres:postgres@127.0.0.1:${front.port}${pathname}`;
  const start = () =>
    startInProcessService(folder, {
      DATABASE_URL: url,
      PLATFORM_TOKEN,
      PLATFORM_FEED: "true",
      RATE_LIMIT_BURST: "1000000",
      WEBHOOK_RETRY_SCHEDULE: "1s,1s,1s,1s",
    });
  const instances = [await start(), await start()];
  const urlOf = (n: number) => instances[n % instances.length]?.url ?? "";
  const owner = ownerAt(await environmentOf("alice", { url: urlOf(0) }, folder));
  const channel = await owner.createChannel("news");
  const bots: Bot[] = [];
  for (let n = 0; n < botCount; n++) {
    const bot = await owner.createBot(`bot-${n}`, [channel]);
    const sent = new Map<number, string>();
    const receiver = await startReceiver((response, { updateId, body }) => {
      sent.set(updateId, JSON.parse(body).payload.post_id);
      response.end();
    });
    // Before anything is delivered: a consumer begins behind that.
    await ask({ url: urlOf(0) }, "GET", "/v1/bot-api/updates?consumer=main", { token: bot.token });
    await owner.setWebhook(bot.id, receiver.url);
    bots.push({ ...bot, receiver, sent, read: new Map(), faults: [], skips: new Set() });
  }
  const acknowledged: string[] = [];
  const fed = new Set<string>();
  const before: Entry[] = [];

  /** Repeats a request until the end, whatever becomes of it. */
  const repeat = async (isWanted: () => boolean, work: () => Promise<void>): Promise<void> => {
    while (isWanted()) await work().catch(() => sleep(REPEAT_AFTER_MS));
  };
  const note = (bot: Bot, reader: string, { update_id, payload }: Update): void => {
    const place = `${reader} ${update_id}`;
    const known = bot.read.get(place);
    if (known !== undefined && known !== payload.post_id)
      bot.faults.push(`${place}: ${known}, ${payload.post_id}`);
    bot.read.set(place, payload.post_id);
  };
  const posting = instances.map((_, n) =>
    repeat(
      () => isPosting,
      async () => {
        const { status, body } = await ask(
          instances[n] as InProcessService,
          "POST",
          `/v1/channels/${channel}/posts`,
          {
            token: owner.token,
            body: { body: `post at ${n}` },
          },
        );
        if (status !== 201) throw new Error("not now");
        acknowledged.push(body.id);
        await sleep(POST_EVERY_MS);
      },
    ),
  );
  const reading = bots.flatMap((bot, n) => {
    let offset = 0;
    const poll = async (query: string, instance: number) => {
      const answer = await ask({ url: urlOf(instance) }, "GET", `/v1/bot-api/updates?timeout=1&${query}`, {
        token: bot.token,
      });
      if (answer.status !== 200) throw new Error("not now");
      const skipped = answer.headers.get("botyard-log-skipped");
      if (skipped !== null) bot.skips.add(skipped);
      return answer.body.items as Update[];
    };
    const byOffset = repeat(
      () => isReading,
      async () => {
        for (const update of await poll(`offset=${offset}`, n)) {
          note(bot, "poll", update);
          offset = update.update_id;
        }
      },
    );
    const byConsumer = repeat(
      () => isReading,
      async () => {
        const items = await poll("consumer=main", n + 1);
        for (const update of items) note(bot, "consumer", update);
        const position = items.at(-1)?.update_id;
        if (position !== undefined)
          await ask({ url: urlOf(n) }, "PUT", "/v1/bot-api/consumers/main", {
            token: bot.token,
            body: { position },
          });
      },
    );
    return [byOffset, byConsumer];
  });
  let cursor = "";
  const feeding = repeat(
    () => isReading,
    async () => {
      const after = cursor && `&after=${cursor}`;
      const { status, body } = await ask({ url: urlOf(0) }, "GET", `/v1/platform/feed?timeout=1${after}`, {
        token: PLATFORM_TOKEN,
      });
      if (status !== 200) throw new Error("not now");
      for (const { payload } of body.items) if (payload.post_id) fed.add(payload.post_id);
      ({ cursor } = body);
    },
  );

  const entries = async (): Promise<Entry[]> => {
    const { rows } = await onServer<{ place: string; id: string }>(
      primary,
      pathname,
      "SELECT e.log_key || '/' || e.number AS place, p.id FROM entries e JOIN events p ON p.event_key = e.event_key",
    );
    return rows.map(({ place, id }) => [place, id]);
  };

  const rows = async <Row extends object>(sql: string): Promise<Row[]> =>
    (await onServer<Row>(primary, pathname, sql)).rows;

  return {
    instances,
    bots,
    acknowledged,
    fed,
    before,
    entries,
    rows,

    async failOver() {
      standby ??= await follow(primary);
      const { server: successor, wal } = standby;
      standby = undefined;
      const from = acknowledged.length;
      const [head] = await rows<{ lsn: string }>("SELECT pg_current_wal_lsn() AS lsn");
      await eventually("the standby has some of it, and lacks what came after", async () => {
        const sql = `SELECT pg_last_wal_replay_lsn() >= '${head?.lsn}'::pg_lsn AS has`;
        const { rows } = await onServer<{ has: boolean }>(successor, pathname, sql);
        return rows[0]?.has && acknowledged.length > from + 50;
      });
      const cutAt = performance.now();
      front.cut();
      before.push(...(await entries()));
      await primary.crash();
      await onServer(successor, pathname, "SELECT pg_promote()");
      await primary.remove();
      await wal.close();
      primary = successor;
      front.leadTo(primary.port);
      const lost = acknowledged.length;
      await eventually("a post is stored", () => acknowledged.length > lost);
      return performance.now() - cutAt;
    },
    async quiet() {
      isPosting = false;
      await Promise.all(posting);
    },
    async close() {
      isPosting = false;
      isReading = false;
      await Promise.all([...posting, ...reading, feeding]);
      await Promise.all(instances.map((instance) => instance.stop()));
      await Promise.all(bots.map(({ receiver }) => receiver.close()));
      await front.close();
      await standby?.server.remove();
      await standby?.wal.close();
      await primary.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A standby, and the connection by which it follows. */
async function follow(primary: PostgresServer): Promise<{ server: PostgresServer; wal: SwitchedProxy }> {
  const wal = await startSwitchedProxy(primary.port);
  const server = await createStandby(primary, wal.port, FLAGS);
  await server.start();
  await eventually("the standby follows", async () => {
    const { rows } = await onServer(
      server,
      "/postgres",
      "SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming'",
    );
    return rows.length > 0;
  });
  wal.delay(BEHIND_MS);
  return { server, wal };
}

async function onServer<Row extends object>(
  server: PostgresServer,
  path: string,
  sql: string,
): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: `${server.url}${path}` });
  await client.connect();
  try {
    return await client.query<Row>(sql);
  } finally {
    await client.end();
  }
}
