import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository, run } from "../support/program.js";

describe("the table of docs/configuration.md", () => {
  it("is what the schema says: else run npm run docs:config", async () => {
    const check = run(process.execPath, [join(repository, "scripts/config-table.mjs"), "--check"]);
    expect({ code: await check.exit, stderr: check.stderr() }).toEqual({ code: 0, stderr: "" });
  });
});
