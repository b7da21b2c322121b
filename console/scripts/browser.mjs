import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/**
 * Chromium without windows comes first: a page of the console takes it 0.7 s of processor time instead of 1.0 s, and
 * starting 2.3 s instead of 4.2 s, the test's own share included.
 */
const KNOWN_PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Debian's packages, the preferred one first. Not every release has both. */
const PACKAGES = ["chromium-headless-shell", "chromium"];

/** Chromium's flags: a profile of its own, and no background traffic. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * What Playwright 1.65 disables too (`chromiumSwitches`), since Chromium heeds only the last `--disable-features`, and
 * the popups of the address bar: every new window loads two pages for them, which takes 1.4 s of processor time, half of
 * what a page of the console takes in all.
 */
const DISABLED_FEATURES = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/**
 * No page lives long enough to gain by being compiled for speed. Without it, pages that axe checks take Chromium 14% less
 * processor time, and others 4%.
 */
const NOT_FOR_SPEED = "--js-flags=--no-opt --no-maglev";

/** Starts a headless Chromium: the one at `path`, by default that of {@link chromiumPath}. */
export function launchChromium(path = chromiumPath()) {
  return chromium.launch({
    executablePath: path,
    args: [...QUIET, NOT_FOR_SPEED, `--disable-features=${DISABLED_FEATURES.join(",")}`],
  });
}

/**
 * The path of a Chromium. Installs one if there is none and that is possible.
 *
 * @throws when there is none
 * @returns {string}
 */
export function chromiumPath() {
  return found() ?? installed();
}

/** `CHROMIUM_PATH`, else the usual paths. */
function found() {
  const named = process.env.CHROMIUM_PATH;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not there`);
  return named || KNOWN_PATHS.find((path) => existsSync(path));
}

function installed() {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync("/usr/bin/apt-get")) {
    process.stderr.write(
      "The console is tried in a Chromium, and there is none: installing Debian's (apt-get) …\n",
    );
    aptGet("update");
    for (const name of PACKAGES) {
      aptGet("install", "--yes", "--no-install-recommends", name);
      const path = found();
      if (path) return path;
    }
  }
  throw new Error(
    "the console is tried in a Chromium, and none was found: install one " +
      `(Debian: apt-get install ${PACKAGES[0]}) or name one in CHROMIUM_PATH`,
  );
}

/** @param {string[]} args */
function aptGet(...args) {
  spawnSync("apt-get", args, {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
