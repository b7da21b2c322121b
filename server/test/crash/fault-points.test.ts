import { randomInt } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { createFaultPoints } from "../support/fault-points.js";
import { PLATFORM_TOKEN } from "../support/governed-maker.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { Gone } from "../support/request-or-gone.js";
import { createShiftedClock } from "../support/shifted-clock.js";
import { countRows, runSql } from "../support/stored-rows.js";
import { beginLife, RETRIES, type WholeLife } from "../support/whole-life.js";

/** Drawn at random, and of points that are seldom met half as many; `npm run fault-points` takes them all. */
const KILLS = Number(process.env["FAULT_POINT_KILLS"] ?? 1);
const SEED = Number(process.env["FAULT_POINT_SEED"] ?? randomInt(2 ** 31));
/** A point that comes by a timer may take several lives to be reached. */
const MAX_LIVES = 12;
/**
 * Some come once after each start, and had that behind them when they were armed. One that shares its transaction with
 * what comes after it is not met as the last of it, so it gets several starts.
 */
const LIVES_BEFORE_RESTART = 3;
/** A limit against hanging, not a measurement: a kill takes about three seconds, or 70 where it is met once in a database's life. */
const PATIENCE_MS = 120_000 + Math.min(KILLS, 300) * 60_000;
const PAST_RETENTION_MS = -40 * 86_400_000;
/** Leases run out, and marks grow old, by the clock of the database. A service that is killed on its first start leaves no tables. */
const TIME_PASSES = `DO $$ BEGIN
  IF to_regclass('lanes') IS NOT NULL THEN UPDATE lanes SET lease_until = 0 WHERE holder IS NOT NULL; END IF;
  IF to_regclass('upkeep') IS NOT NULL THEN UPDATE upkeep SET lease_until = 0; END IF;
  IF to_regclass('sweep_marks') IS NOT NULL THEN UPDATE sweep_marks SET made_at = 0; END IF;
END $$`;

describe(`a service on ${engine.name} that is killed at a boundary of a write`, () => {
  const points = createFaultPoints();
  const clock = createShiftedClock();
  let home: StoreHome;
  let service: ServiceProcess;
  let token: string;
  let atFirstStart: string[];

  const start = async (): Promise<void> => {
    service = await startServiceProcess(home.dataDir, {
      ...home.environment,
      ...points.environment,
      ...clock.environment,
      NODE_OPTIONS: `${points.environment["NODE_OPTIONS"]} ${clock.environment["NODE_OPTIONS"]}`,
      WEBHOOK_RETRY_SCHEDULE: RETRIES,
      RATE_LIMIT_BURST: "1000000",
      PLATFORM_TOKEN,
      LOG_LEVEL: "warn",
    });
  };
  const stop = async (): Promise<void> => {
    await service.stop("SIGKILL");
    // Otherwise this takes eight seconds each time. SQLite's leases end with the process.
    const { DATABASE_URL: url } = home.environment;
    if (url) await onDatabase(url, TIME_PASSES);
  };
  const tokenOf = async (user: string): Promise<string> =>
    (await environmentOf(user, service, home.dataDir))["BOTYARD_TOKEN"] ?? "";
  /** A service on a new home. */
  const settle = async (): Promise<void> => {
    home = await engine.createHome();
    atFirstStart = await points.reachedIn(start);
    token = await tokenOf("alice");
  };
  const leave = async (): Promise<void> => {
    await stop();
    await home.remove();
  };

  // Once, since a start takes more processor time than most of what is done with it.
  beforeAll(settle);
  afterEach(async () => {
    points.disarm();
    await clock.shift(0);
  });
  afterAll(async () => {
    await leave();
    points.remove();
    clock.remove();
  });

  it("keeps everything it acknowledged, and repeats at most unrecorded attempts", {
    timeout: PATIENCE_MS,
  }, async () => {
    const atStart = points.reached();
    const life = await beginLife(() => service.url, token, tokenOf);
    await life.live();
    await life.expectKept();
    await life.close();
    // By a statement's name on PostgreSQL, by its beginning on SQLite.
    for (const of of [
      /skipping|skip-step|skipped_count/,
      /erase|removed_channels/,
      /delete-bot|removed_bots/,
      /put-owner|INTO owners/,
      /change-room-bots|FROM attachments/,
    ])
      expect(newSince(atStart).filter((point) => of.test(point))).not.toEqual([]);
    await expectToSurviveSome("at work", newSince(atStart), KILLS, expectToWorkOn);
  });

  it("on its first start completes it at the next one", { timeout: PATIENCE_MS }, async () => {
    points.forget();
    await expectToSurviveSome("at the first start", atFirstStart, Math.ceil(KILLS / 2), async (point) => {
      await leave();
      points.arm(point);
      home = await engine.createHome();
      await expectToBeKilled(start());
      await start();
      await expectToLive();
    });
  });

  it("while it removes old updates continues with that, and counts each once", {
    timeout: PATIENCE_MS,
  }, async () => {
    // A database in which nothing is newer than what expires.
    await leave();
    points.forget();
    home = await engine.createHome();
    const growOld = async (): Promise<WholeLife> => {
      await stop();
      await clock.shift(PAST_RETENTION_MS);
      await start();
      token = await tokenOf("alice");
      const life = await beginLife(() => service.url, token, tokenOf);
      await life.live();
      await stop();
      await clock.shift(0);
      return life;
    };
    const first = await growOld();
    const before = points.reached();
    await start();
    await expectGone(first);
    await first.close();
    expect(newSince(before).filter((point) => /sweep/.test(point))).not.toEqual([]);
    // Which statement is the last of a transaction depends on what shares it; some meetings are rare.
    await expectToSurviveSome("of the retention", newSince(before), Math.ceil(KILLS / 2), async (point) => {
      let isMet = false;
      for (let tries = 0; tries < MAX_LIVES && !isMet; tries++) {
        const life = await growOld();
        points.arm(point);
        await start().catch(() => {});
        isMet = await isCutOff(expectGone(life));
        if (isMet) await expectToBeKilled();
        else await stop();
        // One that was not met is not to be met below.
        points.disarm();
        await start();
        await expectGone(life);
        await life.close();
      }
      if (!isMet) throw new Error("the point was not reached again");
    });
  });

  const isDead = (): boolean => service.child.exitCode !== null || service.child.signalCode !== null;
  const restart = async (): Promise<void> => {
    if (isDead()) throw new Gone();
    await stop();
    await start().catch(() => {});
  };
  /**
   * Events are swept once after each start, as far as the settled marks on PostgreSQL allow: one start makes a mark, a later
   * one settles it. A start that is stopped early does neither, so it takes as many as it takes.
   */
  const expectGone = async (life: WholeLife): Promise<void> => {
    await life.expectExpired();
    if (engine.name === "sqlite") await restart();
    else while (!(await isSettled())) await restartUntilMarked();
    await life.expectSwept();
  };
  const isSettled = async (): Promise<boolean> => {
    const lastEvent = "(SELECT coalesce(max(event_key), 0) FROM events)";
    return (await countRows(home, "sweep_marks", `head >= ${lastEvent} AND settled_head IS NOT NULL`)) > 0;
  };
  const restartUntilMarked = async (): Promise<void> => {
    const marks = async () =>
      JSON.stringify(await runSql(home, "SELECT head, settled_head FROM sweep_marks"));
    const before = await marks();
    await restart();
    await eventually("a mark is made or settled", async () => isDead() || (await marks()) !== before);
  };

  const newSince = (before: readonly string[]): string[] =>
    points.reached().filter((point) => !before.includes(point));

  async function expectToSurviveSome(
    kind: string,
    all: readonly string[],
    count: number,
    expectToSurvive: (point: string) => Promise<void>,
  ): Promise<void> {
    expect(all.length).toBeGreaterThan(0);
    const [order = []] = fc.sample(fc.shuffledSubarray([...all], { minLength: all.length }), {
      numRuns: 1,
      seed: SEED,
    });
    const tried = order.slice(0, count);
    console.error(`${engine.name}: ${tried.length} of ${all.length} fault points ${kind}, seed ${SEED}`);
    for (const point of tried) {
      try {
        await expectToSurvive(point);
      } catch (error) {
        throw new Error(`${point}, seed ${SEED}: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  async function expectToWorkOn(point: string): Promise<void> {
    if (await isMetInSomeLife(point)) return;
    // What is met once in a database's life was met before it was armed.
    await leave();
    await settle();
    if (!(await isMetInSomeLife(point))) throw new Error("the point was not reached again");
  }

  async function isMetInSomeLife(point: string): Promise<boolean> {
    const lives: WholeLife[] = [];
    points.arm(point);
    let isGone = false;
    for (let count = 0; count < MAX_LIVES && !isGone; count++) {
      if (count > 0 && count % LIVES_BEFORE_RESTART === 0 && !isDead()) await restart();
      const life = await beginLife(() => service.url, token, tokenOf);
      lives.push(life);
      isGone = await isCutOff(life.live());
    }
    if (isGone) {
      await expectToBeKilled();
      await start();
    } else points.disarm();
    for (const life of lives) await life.expectKept();
    for (const life of lives) await life.close();
    return isGone;
  }

  async function isCutOff(living: Promise<void>): Promise<boolean> {
    try {
      await living;
      return false;
    } catch (error) {
      if (error instanceof Gone) return true;
      throw error;
    }
  }

  /** @param starting a start that may or may not complete first */
  async function expectToBeKilled(starting?: Promise<void>): Promise<void> {
    await starting?.catch(() => {});
    await eventually("the service is killed", isDead);
    points.disarm();
    await stop();
  }

  async function expectToLive(): Promise<void> {
    token = await tokenOf("alice");
    const life = await beginLife(() => service.url, token, tokenOf);
    await life.live();
    await life.expectKept();
    await life.close();
  }
});
