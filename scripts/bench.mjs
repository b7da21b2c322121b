// `npm run bench`: sets up what is missing, then runs the benchmark with the arguments given.
import { setUp } from "./set-up.mjs";

setUp();
await import("../benchmarks/run.mjs");
