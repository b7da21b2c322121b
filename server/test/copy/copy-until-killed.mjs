// A copy in a process of its own that kills itself, as the system would kill it, once so many rows of a phase are done:
// either between two batches or while the next one is under way. Arguments: both locations as JSON, the key as hex, the
// phase, the rows, "between" or "within".
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { copyStore } from "#botyard/store/copy/copy.js";
import { openSource, openTarget } from "#botyard/store/copy/open.js";

const [from, to, key, phase, rows, when] = process.argv.slice(2);
const box = createSecretBox([Buffer.from(key, "hex")]);
const die = () => process.kill(process.pid, "SIGKILL");

await copyStore({
  from: await openSource(JSON.parse(from)),
  to: await openTarget(JSON.parse(to)),
  secrets: { source: box, target: box },
  onProgress(progress) {
    if (progress.phase !== phase || progress.doneRows < Number(rows)) return;
    if (when === "between") die();
    else setImmediate(die);
  },
});
