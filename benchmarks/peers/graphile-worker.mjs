// The job on graphile-worker and PostgreSQL, with the settings of its documentation's page on performance: a local queue of
// 500 jobs and batched completions without delay. A completed job is deleted, so the task itself records the outcome.
import { makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { inBatches, runPeer } from "../support/peer-process.mjs";

const RECORD = {
  name: "record",
  text: "INSERT INTO outcomes (job_id, delivered_at) SELECT id, now() FROM unnest($1::bigint[]) id",
};

await runPeer(async (connectionString) => {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query(
    "CREATE TABLE IF NOT EXISTS outcomes (job_id bigint PRIMARY KEY, delivered_at timestamptz NOT NULL)",
  );
  const utils = await makeWorkerUtils({ pgPool: pool });
  await utils.migrate();
  const record = inBatches((jobIds) => pool.query({ ...RECORD, values: [jobIds] }));
  return {
    enqueue: (posts) =>
      utils.addJobs(posts.map((payload) => ({ identifier: "deliver", payload, maxAttempts: 10 }))),
    work: (deliver, concurrency) =>
      run({
        preset: {
          worker: {
            concurrentJobs: concurrency,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
        pgPool: pool,
        taskList: {
          async deliver(post, { job }) {
            await deliver(post);
            await record(job.id);
          },
        },
      }),
    async countPending() {
      const { rows } = await pool.query("SELECT count(*) AS pending FROM graphile_worker.jobs");
      return Number(rows[0].pending);
    },
  };
});
