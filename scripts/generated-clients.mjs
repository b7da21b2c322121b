// `npm run generated-clients`: generates clients from openapi.json in TypeScript (two generators), Python and Go, compiles
// them, and lets each make ten calls of a real service. Needs network for Python and Go; with --installed, those are only
// checked where their generators are installed already, as `npm test` does.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkGo } from "./generated-clients/go.mjs";
import { checkPython } from "./generated-clients/python.mjs";
import { checkTypeScript } from "./generated-clients/typescript.mjs";
import { root } from "./repository.mjs";
import { setUp } from "./set-up.mjs";

await setUp({ withTools: true });
const { loadConfig } = await import("../server/dist/config.js");
const { startService } = await import("../server/dist/service.js");
const { signOwnerToken } = await import("../server/dist/process/sign-owner-token.js");

const mayInstall = !process.argv.includes("--installed");

// Below node_modules, where the TypeScript clients find their packages.
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "generated-clients-"));
cpSync(join(root, "scripts/generated-clients"), folder, { recursive: true });
cpSync(join(root, "openapi.json"), join(folder, "openapi.json"));
writeFileSync(join(folder, "package.json"), '{"type": "module"}\n');

const config = loadConfig({ DATA_DIR: join(folder, "data"), PORT: "0", LOG_LEVEL: "fatal" });
const service = await startService(config);
try {
  const { token } = await signOwnerToken(config, "alice", Date.now() + 10 * 60_000);
  const calls = { folder, mayInstall, env: { BOTYARD_URL: service.url, OWNER_TOKEN: token } };
  for (const check of [checkTypeScript, checkPython, checkGo]) {
    for (const line of await check(calls)) console.log(line);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
