import { CONCURRENCY } from "./busy-service.mjs";
import { servePostRoute } from "./post-route.mjs";
import { createSignedSender, updateBody } from "./signed-sender.mjs";

/**
 * Runs one process of a peer: the acceptor and the sender are the same for all, the queue between them is the peer's.
 * Arguments of the process: port, roles (`accept`, `work` or both with a comma), store, receiver, form of the peer.
 *
 * @typedef {object} Queue
 * @property {(posts: object[]) => Promise<unknown>} enqueue is done when the posts are stored
 * @property {(deliver: (post: object) => Promise<void>, concurrency: number) => Promise<unknown>} work starts the workers
 * @property {() => Promise<number>} countPending posts whose outcome is not recorded yet
 *
 * @param {(storeUrl: string, form: string) => Promise<Queue>} openQueue
 */
export async function runPeer(openQueue) {
  const [port, roles, storeUrl, receiver, form] = process.argv.slice(2);
  const queue = await openQueue(storeUrl, form);
  if (roles.includes("work")) await queue.work(deliverTo(receiver), CONCURRENCY);
  await servePostRoute(Number(port), inBatches(queue.enqueue), queue.countPending);
}

/**
 * Stores all posts that arrived while the last batch was being stored, as each peer's documentation advises for throughput. A
 * team's first version would store them one by one; on PostgreSQL that carried between a quarter and a half as many posts.
 *
 * @param {(items: object[]) => Promise<unknown>} store
 */
export function inBatches(store) {
  let waiting = [];
  let storing = Promise.resolve();
  return (item) => {
    if (waiting.length === 0) {
      storing = storing.then(() => {
        const items = waiting;
        waiting = [];
        return store(items);
      });
    }
    waiting.push(item);
    return storing;
  };
}

function deliverTo(receiver) {
  const send = createSignedSender(receiver, CONCURRENCY);
  let updateId = 0;
  return (post) =>
    new Promise((resolve, reject) => {
      updateId += 1;
      send(updateBody(updateId, post), (error) => (error ? reject(error) : resolve()));
    });
}
