import { run, runs } from "./run.mjs";

const GENERATOR = "oapi-codegen";
const GENERATOR_MODULE = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const RUNTIME = "github.com/oapi-codegen/runtime@v1.8.0";

/** With oapi-codegen. */
export async function checkGo(calls) {
  const { folder, mayInstall } = calls;
  // Without a proxy Go takes only modules that it has downloaded before.
  const env = { ...calls.env, NAME: "go", GOFLAGS: "-mod=mod", ...(mayInstall ? {} : { GOPROXY: "off" }) };
  const options = { folder, env };
  const isInstalled = mayInstall || (await runs(GENERATOR, ["-version"], options));
  if (!isInstalled) return [`Go: skipped, ${GENERATOR} is not installed`];
  await run("go", ["mod", "init", "example.org/botyard"], options);
  if (mayInstall) await run("go", ["get", RUNTIME], options);
  else if (!(await runs("go", ["get", RUNTIME], options)))
    return [`Go: skipped, ${RUNTIME} is not downloaded`];
  const [program, ...args] = mayInstall ? ["go", "run", GENERATOR_MODULE] : [GENERATOR];
  await run(program, [...args, "-config", "go.yaml", "openapi.json"], options);
  await run("go", ["build", "-o", "calls", "./..."], options);
  return [`Go, oapi-codegen: ${await run("./calls", [], options)}`];
}
