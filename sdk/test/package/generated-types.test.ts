import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../../../server/test/support/program.js";

describe("the generated types", () => {
  it("fit openapi.json: else run npm run sdk:types", async () => {
    const script = fileURLToPath(new URL("../../scripts/generate-types.mjs", import.meta.url));
    const check = run(process.execPath, [script, "--check"]);
    expect({ code: await check.exit, stderr: check.stderr() }).toEqual({ code: 0, stderr: "" });
  });
});
