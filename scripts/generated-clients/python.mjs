import { join } from "node:path";
import { run, runs } from "./run.mjs";

const GENERATOR = "openapi-python-client==0.29.1";
const MODULE = "openapi_python_client";

/** With openapi-python-client. */
export async function checkPython(calls) {
  const { folder } = calls;
  const python = await findPython(calls);
  if (!python) return [`Python: skipped, ${GENERATOR} is not installed`];
  const generate = ["-m", MODULE, "generate", "--path", "openapi.json", "--output-path", "python"];
  // Without formatters, whose lack it reports.
  await run(python, [...generate, "--meta", "none", "--config", "python.yaml"], calls);
  await run(python, ["-m", "compileall", "-q", "python"], calls);
  const env = { ...calls.env, NAME: "python" };
  return [`Python, openapi-python-client: ${await run(python, ["calls.py"], { folder, env })}`];
}

/** A Python with the generator, in an environment of its own where it may be installed. */
async function findPython({ folder, mayInstall }) {
  const options = { folder };
  if (!mayInstall) {
    return (await runs("python3", ["-m", MODULE, "--version"], options)) ? "python3" : undefined;
  }
  await run("python3", ["-m", "venv", "venv"], options);
  const python = join(folder, "venv/bin/python");
  await run(python, ["-m", "pip", "install", "--quiet", GENERATOR], options);
  return python;
}
