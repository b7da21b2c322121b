// The folder FAULT_POINTS is how the test and the service speak to each other. Each point that is reached is noted in its
// file `reached`; at the one in `armed` the process is killed with SIGKILL, so that nothing it still has in
// hand is done.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const NAME_CHARS = 90;
const folder = process.env.FAULT_POINTS;
const noted = new Set();

export function reach(point) {
  if (armed() === point) process.kill(process.pid, "SIGKILL");
  if (noted.has(point)) return;
  noted.add(point);
  appendFileSync(join(folder, "reached"), `${point}\n`);
}

function armed() {
  try {
    return readFileSync(join(folder, "armed"), "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Gives each statement that changes or locks something a name: its own, or how its SQL begins. One that only reads has no
 * boundaries. A commit is named after what it commits.
 */
export function createNaming() {
  let last = "";
  return (statement) => {
    const text = statement.trim().replaceAll(/\s+/g, " ");
    if (/^(SELECT|PRAGMA|SET|LISTEN)\b/i.test(text) && !/\bFOR UPDATE\b/.test(text)) return undefined;
    const name = text.slice(0, NAME_CHARS);
    if (/^commit$/i.test(name)) return `COMMIT of ${last}`;
    if (!/^(SAVEPOINT|RELEASE)\b/.test(name)) last = name;
    return name;
  };
}
