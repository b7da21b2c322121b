import { run } from "./run.js";

const code = await run(process.argv.slice(2));
// Something else may have set the code of a failure already.
if (code !== 0) process.exitCode = code;
