import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository, run } from "../support/program.js";

describe("the reference of docs/cli.md", () => {
  it("is what the commands say: else run npm run docs:cli", async () => {
    const check = run(process.execPath, [join(repository, "scripts/cli-docs.mjs"), "--check"]);
    expect({ code: await check.exit, stderr: check.stderr() }).toEqual({ code: 0, stderr: "" });
  });
});
