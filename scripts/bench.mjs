// `npm run bench`: sets up what is missing, then runs the benchmark with the arguments given.
import { installPeersIfNeeded } from "./install.mjs";
import { setUp } from "./set-up.mjs";

setUp({ withTools: true });
installPeersIfNeeded();
await import("../benchmarks/run.mjs");
