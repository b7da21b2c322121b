// `npm run bench`: sets up what is missing, then runs the benchmark with the arguments given.
import { installPeersIfNeeded } from "./install.mjs";
import { setUp } from "./set-up.mjs";

await setUp({ withTools: true });
await installPeersIfNeeded();
await import("../benchmarks/run.mjs");
