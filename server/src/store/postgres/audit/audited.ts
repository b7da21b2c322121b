import {
  AUDITED_VERBS,
  type AuditedCall,
  auditedCall,
  type Changed,
  changedBy,
  changeNoticeIn,
  entriesOf,
} from "../../audited-verbs.js";
import type { ChangeNotice } from "../../parts/guest-store.js";
import { auditValues } from "../../shared/rows/audit-rows.js";
import type { EngineVerbs, Verb } from "../../verbs.js";
import type { Database, Statement, Step } from "../connection/connection.js";
import { tellStep } from "../guests/tell.js";
import { statementsOf } from "./snapshots.js";

/** By the names of statements: see `snapshots.ts`. */
const IS_LOCK = /^(lock|hold)-/;
const IS_READ = /^select-/;

/** Verbs on a database of their own, for one call at a time: making them for each would take longer than most calls. */
interface AuditedSession {
  verbs: Partial<EngineVerbs>;
  /** The call under way, if it is audited. */
  call: AuditedCall | undefined;
  /** What it changes, if that is compared. */
  changed: Changed | undefined;
  /** What it tells other cells. */
  notice: ChangeNotice | undefined;
}

/**
 * The verbs, of which a call that is to be audited, or told to other cells, runs on a database of its own, which adds that to each transaction
 * that changes something. No verb has to know of it.
 *
 * @param verbsOn makes the verbs that change what is audited
 */
export function withAudit(
  verbs: EngineVerbs,
  database: Database,
  verbsOn: (database: Database) => Partial<EngineVerbs>,
): EngineVerbs {
  /** As many as there were calls at once. */
  const free: AuditedSession[] = [];
  const newSession = (): AuditedSession => {
    const session: AuditedSession = { verbs: {}, call: undefined, changed: undefined, notice: undefined };
    session.verbs = verbsOn(auditedDatabase(database, session));
    return session;
  };
  const audited: Partial<Record<Verb, unknown>> = {};
  for (const verb of AUDITED_VERBS as (keyof EngineVerbs)[]) {
    audited[verb] = async (...parameters: unknown[]) => {
      const call = auditedCall(verb, parameters);
      const notice = changeNoticeIn(parameters);
      const session = call || notice ? (free.pop() ?? newSession()) : undefined;
      const changed = call ?? (notice?.isAudited ? changedBy(verb, parameters) : undefined);
      if (session) Object.assign(session, { call, changed, notice });
      try {
        const on = session?.verbs ?? verbs;
        return await (on[verb] as (...parameters: unknown[]) => Promise<unknown>)(...parameters);
      } finally {
        if (session) free.push(session);
      }
    };
  }
  return { ...verbs, ...(audited as Partial<EngineVerbs>) };
}

function auditedDatabase(database: Database, session: Omit<AuditedSession, "verbs">): Database {
  const transaction = async (steps: readonly Step[]): Promise<unknown[][]> => {
    const { call, changed, notice } = session;
    // Last, as is the lock of a log of changes.
    const tell = notice ? [tellStep(notice)] : [];
    if (!changed) return (await database.transaction([...steps, ...tell])).slice(0, steps.length);
    const { before, after, told } = statementsOf(changed);
    const entries = call ? entriesOf(call) : [];
    const own = steps.findIndex(([{ name }]) => !IS_LOCK.test(name));
    const results = await database.transaction([
      ...steps.slice(0, own),
      [before, changed.key],
      ...steps.slice(own),
      ...entries.map((entry): Step => [after, [...changed.key, ...auditValues(entry)]]),
      ...(notice?.isAudited ? [[told, changed.key] as const] : []),
      ...tell,
    ]);
    return results.filter((_, at) => at !== own && at <= steps.length);
  };
  return {
    ...database,
    transaction,
    query: async <Row>(statement: Statement, values?: Step[1]) => {
      if (IS_READ.test(statement.name)) return await database.query<Row>(statement, values);
      const [rows = []] = await transaction([[statement, values]]);
      return rows as Row[];
    },
  };
}
