import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../support/program.js";

function simulate(...args: string[]) {
  const script = join(repository, "scripts/simulate-cells.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const figures = (...args: string[]) => JSON.parse(simulate(...args, "--json").stdout);

describe("npm run simulate-cells", () => {
  it("computes what docs/scaling.md shows: else put its output there", () => {
    const { status, stdout } = simulate();
    expect(status).toBe(0);
    expect(readFileSync(join(repository, "docs/scaling.md"), "utf8")).toContain(`\n${stdout}\`\`\`\n`);
  });

  it("has all of the load on the servers, wherever the owners came to live", () => {
    for (const seed of ["1", "2"]) {
      const { servers, conditions, connections } = figures(
        "--seed",
        seed,
        "--servers",
        "4",
        "--owners",
        "1000",
      );
      expect(servers.least).toBeLessThanOrEqual(servers.mean);
      expect(servers.most).toBeGreaterThanOrEqual(servers.mean);
      expect(servers.mean).toBeCloseTo(conditions.posts / 4 / conditions["server-posts"], 1);
      expect(connections).toEqual({ perInstance: 47, perServer: 220, serverOfDirectory: 280, all: 940 });
    }
  });

  it("spreads owners of one size evenly, and names one who outgrows a server", () => {
    const even = figures("--exponent", "5", "--growth-days", "0", "--owners", "20000");
    expect(even.servers.most - even.servers.least).toBeLessThan(0.02);
    expect(figures("--owners", "10000").outgrow.owners).toBe(1);
  });

  it("says what it is for, and refuses what it does not know", () => {
    expect(simulate("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--owners N") });
    expect(simulate("--servers", "65")).toMatchObject({ status: 2, stderr: "--servers cannot be 65\n" });
    expect(simulate("--server", "2").status).toBe(2);
  });
});
