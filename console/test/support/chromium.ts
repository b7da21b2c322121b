import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The program of the browser that the tests drive. */
    chromium: string;
  }
}

const KNOWN_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Finds a Chromium before the first test of the console, or installs Debian's. */
export function setup(project: TestProject): void {
  project.provide("chromium", found() ?? installed());
}

/** `CHROMIUM_PATH` names one; else it is where systems put it. */
function found(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not there`);
  return named || KNOWN_PATHS.find((path) => existsSync(path));
}

function installed(): string {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync("/usr/bin/apt-get")) {
    process.stderr.write("The tests of the console need a Chromium: installing Debian's (apt-get) …\n");
    aptGet("update");
    aptGet("install", "--yes", "--no-install-recommends", "chromium");
    const path = found();
    if (path) return path;
  }
  throw new Error(
    "the tests of the console need a Chromium, and none was found: install one " +
      "(Debian: apt-get install chromium) or name one in CHROMIUM_PATH",
  );
}

function aptGet(...args: string[]): void {
  spawnSync("apt-get", args, {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
