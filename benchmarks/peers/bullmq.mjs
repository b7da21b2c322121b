// The job on BullMQ and Redis. Its documentation advises a high concurrency for jobs that wait for the network, workers in
// processes of their own, and removing finished jobs. The form `kept` keeps the last of them as the record of
// their outcome; the form `removed` keeps none.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { runPeer } from "../support/peer-process.mjs";

const QUEUE = "deliveries";
/** More than the jobs of one run. */
const KEPT_JOBS = 200_000;

await runPeer(async (url, form) => {
  // BullMQ requires this for the connections of workers: they wait for Redis without a limit.
  const connect = () => new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue(QUEUE, {
    connection: connect(),
    defaultJobOptions: {
      attempts: 10,
      backoff: { type: "exponential", delay: 1_000 },
      removeOnComplete: form === "kept" ? { count: KEPT_JOBS } : true,
    },
  });
  return {
    enqueue: (posts) => queue.addBulk(posts.map((data) => ({ name: "deliver", data }))),
    async work(deliver, concurrency) {
      const worker = new Worker(QUEUE, ({ data }) => deliver(data), { connection: connect(), concurrency });
      await worker.waitUntilReady();
    },
    async countPending() {
      const counts = await queue.getJobCounts("waiting", "active", "delayed");
      return counts.waiting + counts.active + counts.delayed;
    },
  };
});
