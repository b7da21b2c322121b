import { cpSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { root } from "../repository.mjs";
import { run } from "./run.mjs";

/** With openapi-typescript and openapi-fetch, and with @hey-api/openapi-ts. Both are compiled in one run. */
export async function checkTypeScript(calls) {
  const { folder } = calls;
  // The types of the SDK are what openapi-typescript makes of the document; a test holds them to it.
  cpSync(join(root, "sdk/src/generated/openapi.ts"), join(folder, "openapi.ts"));
  await createClient({
    input: join(folder, "openapi.json"),
    output: { path: join(folder, "hey"), importFileExtension: ".js" },
    plugins: ["@hey-api/typescript", "@hey-api/client-fetch", "@hey-api/sdk"],
    logs: { level: "silent" },
  });
  await run(process.execPath, [join(root, "node_modules/typescript7/bin/tsc"), "-p", folder], calls);
  return await Promise.all(
    ["openapi-fetch", "hey-api"].map(async (name) => {
      const env = { ...calls.env, NAME: name };
      return `TypeScript, ${name}: ${await run(process.execPath, [join(folder, "dist", `${name}.js`)], { folder, env })}`;
    }),
  );
}
