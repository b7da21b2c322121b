import { isRunByNpm } from "../config.js";
import { stopWithShell } from "./npm-shell.js";
import { run } from "./run.js";

if (isRunByNpm()) stopWithShell();
const code = await run(process.argv.slice(2));
// Something else may have set the code of a failure already.
if (code !== 0) process.exitCode = code;
