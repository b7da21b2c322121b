// `npm run openapi`: writes openapi.json, the committed copy of the service's GET /openapi.json.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { progress, root } from "./repository.mjs";
import { setUp } from "./set-up.mjs";

await setUp();
const { loadConfig } = await import("../server/dist/config.js");
const { startService } = await import("../server/dist/service.js");

const dataDir = mkdtempSync(join(tmpdir(), "botyard-openapi-"));
const service = await startService(loadConfig({ DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "fatal" }));
try {
  const answer = await fetch(`${service.url}/openapi.json`);
  writeFileSync(join(root, "openapi.json"), await answer.text());
  progress("Wrote openapi.json");
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
