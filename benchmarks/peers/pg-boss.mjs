// The job on pg-boss and PostgreSQL. Its documentation advises batches for throughput, and `notifyWorker` to save a worker
// the wait of its polling interval, at least half a second; that needs acceptor and workers in one process. A completed
// job stays in its table, which is the record of the outcome.
import PgBoss from "pg-boss";
import { runPeer } from "../support/peer-process.mjs";

const QUEUE = "deliveries";
const BATCH = 32;

await runPeer(async (connectionString) => {
  const boss = new PgBoss({ connectionString, max: 10 });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE, { name: QUEUE, policy: "standard", retryLimit: 10, retryBackoff: true });
  const workers = [];
  let turn = 0;

  return {
    async enqueue(posts) {
      await boss.insert(posts.map((data) => ({ name: QUEUE, data })));
      for (let i = 0; i < posts.length; i += BATCH) boss.notifyWorker(workers[turn++ % workers.length]);
    },
    async work(deliver, concurrency) {
      for (let i = 0; i < concurrency / BATCH; i++) {
        const handle = async (jobs) => {
          // A full batch means that more may be there, so this worker fetches again at once.
          if (jobs.length === BATCH) boss.notifyWorker(workers[i]);
          await Promise.all(
            jobs.map(({ id, data }) => deliver(data).catch((error) => boss.fail(QUEUE, id, error))),
          );
        };
        workers.push(await boss.work(QUEUE, { batchSize: BATCH, pollingIntervalSeconds: 0.5 }, handle));
      }
    },
    countPending: () => boss.getQueueSize(QUEUE, { before: "completed" }),
  };
});
