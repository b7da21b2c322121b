import { CONCURRENCY } from "./busy-service.mjs";
import { servePostRoute } from "./post-route.mjs";
import { createSignedSender, updateBody } from "./signed-sender.mjs";

/**
 * Runs one process of a peer: the same acceptor and the same sender for each, and the queue of the peer between them.
 * Arguments of the process: port, roles (`accept`, `work` or both with a comma), store, receiver, form of the peer.
 *
 * @typedef {object} Queue
 * @property {(post: object) => Promise<unknown>} enqueue is done when the post is stored
 * @property {(deliver: (post: object) => Promise<void>, concurrency: number) => Promise<unknown>} work starts the workers
 * @property {() => Promise<number>} countPending posts whose outcome is not recorded yet
 *
 * @param {(storeUrl: string, form: string) => Promise<Queue>} openQueue
 */
export async function runPeer(openQueue) {
  const [port, roles, storeUrl, receiver, form] = process.argv.slice(2);
  const queue = await openQueue(storeUrl, form);
  if (roles.includes("work")) await queue.work(deliverTo(receiver), CONCURRENCY);
  await servePostRoute(Number(port), queue.enqueue, queue.countPending);
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
