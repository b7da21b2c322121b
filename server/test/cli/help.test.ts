import { describe, expect, it } from "vitest";
import { botyardResult } from "../support/program.js";

describe("the --help of botyard", () => {
  it("shows the first steps and the exit codes", async () => {
    const { code, stdout } = await botyardResult(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("export BOTYARD_TOKEN=$(botyard owner-token --user alice)");
    expect(stdout).toContain("Exit codes: 0 done");
  });

  it.each([
    ["serve"],
    ["owner-token"],
    ["console"],
    ["channel create"],
    ["channel list"],
    ["bot create"],
    ["bot list"],
    ["bot attach"],
    ["bot disable"],
    ["bot enable"],
    ["post"],
    ["listen"],
    ["tail"],
    ["copy"],
  ])("of %s has an example", async (command) => {
    const { code, stdout } = await botyardResult([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n.*botyard ${command}`));
  });

  it("of serve names every variable", async () => {
    const { stdout } = await botyardResult(["serve", "--help"]);
    for (const name of ["HOST", "OWNER_JWKS_URL", "WEBHOOK_RETRY_SCHEDULE", "LOG_LEVEL"])
      expect(stdout).toContain(name);
  });
});
