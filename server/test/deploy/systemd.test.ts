import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { deployFile, notSettings } from "../support/deployment.js";
import { isInstalled } from "../support/installed.js";
import { botyard } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = deployFile("botyard.service");
const lines = text.split("\n").filter((line) => line.includes("=") && !line.startsWith("#"));
const valuesOf = (name: string): string[] =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
const hasAnalyze = isInstalled("systemd-analyze", "systemd");

describe("botyard.service", () => {
  it("sets only what the service knows, and lets it write where its data is", () => {
    const variables = valuesOf("Environment").map((setting) => setting.split("=") as [string, string]);
    const { NODE_ENV, ...settings } = Object.fromEntries(variables);
    expect(NODE_ENV).toBe("production");
    expect(notSettings(Object.keys(settings))).toEqual([]);
    expect(loadConfig(settings).dataDir).toBe(`/var/lib/${valuesOf("StateDirectory")[0]}`);
  });

  it("is started again for ever, and waits for its database", () => {
    expect(text).toMatch(/^\[Unit\]\n(?:[^[]+\n)*StartLimitIntervalSec=0\n/m);
    expect(valuesOf("Restart")).toEqual(["on-failure"]);
    expect(valuesOf("ExecStart")).toEqual(["/usr/local/bin/botyard serve --wait"]);
  });

  it("leaves time to drain, and files for the connections that are allowed", () => {
    const drainS = 5;
    expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(drainS);
    const { caps, webhooks } = loadConfig({});
    expect(Number(valuesOf("LimitNOFILE")[0])).toBeGreaterThan(caps.connections + webhooks.concurrency);
  });

  it("shows secrets that the service takes as it shows them", () => {
    const shown = [...text.matchAll(/^#Environment=(\w+)=%d/gm)].map(([, name = ""]) => name);
    expect(shown.length).toBeGreaterThan(0);
    expect(notSettings(shown)).toEqual([]);
  });

  describe.runIf(hasAnalyze)("in the eyes of systemd-analyze", () => {
    const folder = temporaryFolder("systemd");
    const unit = join(folder, "botyard.service");
    // It wants to see the program.
    writeFileSync(unit, text.replace("/usr/local/bin/botyard", botyard));
    const analyze = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, unit], { encoding: "utf8" });
      return { status, said: stdout + stderr };
    };

    it("is a unit without a mistake", () => {
      const verified = analyze("verify");
      expect(verified.status, verified.said).toBe(0);
      expect(verified.said).not.toContain("botyard.service");
    });

    it("exposes little", () => {
      const exposed = analyze("security", "--offline=true", "--threshold=20", "--no-pager");
      expect(exposed.status, exposed.said).toBe(0);
    });
  });
});
