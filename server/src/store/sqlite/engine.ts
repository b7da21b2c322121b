import { attemptVerbs } from "./attempts.js";
import { type Database, isUnavailable } from "./binding.js";
import { botVerbs } from "./bots.js";
import { channelVerbs } from "./channels.js";
import { failedAttemptVerbs } from "./failed-attempts.js";
import { historyVerbs } from "./history.js";
import { laneVerbs } from "./lanes.js";
import { overviewVerbs } from "./overview.js";
import { postVerbs } from "./posts.js";
import { retentionVerbs } from "./retention.js";
import { surveyVerbs } from "./survey.js";
import { timelineVerbs } from "./timeline.js";
import { updateVerbs } from "./updates.js";
import { READS, type VerbName, type Verbs } from "./verbs.js";
import { webhookVerbs } from "./webhooks.js";

/** A call of a verb, as it travels to the engine's thread. */
export interface Call {
  verb: VerbName;
  parameters: unknown[];
}

/** What became of a call. `unavailable`: nothing was written, trying again later may work. */
export type Outcome = { value: unknown } | { error: string; unavailable: boolean };

export interface Engine {
  /**
   * Runs calls that arrived together, in one transaction and so with one fsync, each in a savepoint of its own. A call
   * that fails takes only itself back; when the disk or the database fails, all writes of the batch do.
   */
  run(calls: readonly Call[]): Outcome[];
}

export function createEngine(db: Database): Engine {
  const verbs: Verbs = {
    ...botVerbs(db),
    ...channelVerbs(db),
    ...postVerbs(db),
    ...updateVerbs(db),
    ...historyVerbs(db),
    ...webhookVerbs(db),
    ...laneVerbs(db),
    ...attemptVerbs(db),
    ...failedAttemptVerbs(db),
    ...timelineVerbs(db),
    ...overviewVerbs(db),
    ...retentionVerbs(db),
    ...surveyVerbs(db),
    ping: pingVerb(db),
  };
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const savepoint = db.prepare("SAVEPOINT call");
  const release = db.prepare("RELEASE call");

  const invoke = ({ verb, parameters }: Call): unknown =>
    (verbs[verb] as (...parameters: unknown[]) => unknown)(...parameters);

  const runRead = (call: Call): Outcome => {
    try {
      return { value: invoke(call) };
    } catch (error) {
      return failed(error);
    }
  };

  const runInSavepoint = (call: Call): Outcome => {
    savepoint.run();
    try {
      const value = invoke(call);
      release.run();
      return { value };
    } catch (error) {
      if (isUnavailable(error)) throw error;
      db.exec("ROLLBACK TO call; RELEASE call");
      return failed(error);
    }
  };

  return {
    run(calls) {
      if (calls.every(({ verb }) => READS.has(verb))) return calls.map(runRead);
      try {
        begin.run();
        const outcomes = calls.map((call) => (READS.has(call.verb) ? runRead(call) : runInSavepoint(call)));
        commit.run();
        return outcomes;
      } catch (error) {
        rollBack(db);
        return calls.map((call) => (READS.has(call.verb) ? runRead(call) : failed(error)));
      }
    },
  };
}

function pingVerb(db: Database): Verbs["ping"] {
  const write = db.prepare("INSERT OR REPLACE INTO pings (id, at) VALUES (1, ?)");
  return () => {
    write.run(Date.now());
  };
}

function failed(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return { error: message, unavailable: isUnavailable(error) };
}

/** SQLite may have rolled back by itself, and then has nothing left to roll back. */
function rollBack(db: Database): void {
  try {
    db.exec("ROLLBACK");
  } catch (error) {
    if (!String(error).includes("no transaction is active")) throw error;
  }
}
