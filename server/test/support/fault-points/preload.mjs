// Loaded into a service by `--import`, in each of its threads: makes every boundary of a write a point at which the
// process can be killed. The service's own code has nothing for this.
import { subscribe } from "node:diagnostics_channel";
import module from "node:module";
import { isMainThread } from "node:worker_threads";
import pg from "../../../dist/bundle/databases/pg.js";
import { createNaming, reach } from "./points.mjs";
import { resolve } from "./resolve.mjs";

/** The requests to receivers, as undici tells of them. */
const SENDING = {
  "undici:request:create": "before send",
  "undici:client:sendHeaders": "in mid-send",
  "undici:request:bodySent": "after send",
  "undici:request:headers": "before the answer is read",
  "undici:request:trailers": "after the answer is read",
};

/** Statements are sent without waiting for the one before: `after` is when the answer is here. */
function watchPostgres() {
  const { query } = pg.Client.prototype;
  const namings = new WeakMap();
  pg.Client.prototype.query = function (statement, ...rest) {
    if (!namings.has(this)) namings.set(this, createNaming());
    const name = namings.get(this)(statement.name ?? statement);
    if (name) reach(`before ${name}`);
    const answered = query.call(this, statement, ...rest);
    const reachAfter = () => reach(`after ${name}`);
    if (name) answered.then(reachAfter, () => {});
    return answered;
  };
}

if (isMainThread) {
  watchPostgres();
  for (const [channel, point] of Object.entries(SENDING)) subscribe(channel, () => reach(point));
} else if (module.registerHooks) {
  // Its classes cannot be changed from outside, so the engine is given others.
  module.registerHooks({ resolve });
} else {
  // Node 20. Later ones run these hooks in a thread of their own, whose start a worker did not always wait for.
  module.register("./resolve.mjs", import.meta.url);
}
