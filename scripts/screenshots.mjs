// `npm run screenshots`: takes the pictures of docs/console.md, of a real service with example bots.
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { progress, root } from "./repository.mjs";
import { setUp } from "./set-up.mjs";

await setUp({ withTools: true });
const { OwnerClient } = await import("@botyard/sdk");
const { launchChromium } = await import("../console/scripts/browser.mjs");
const { loadConfig } = await import("../server/dist/config.js");
const { startService } = await import("../server/dist/service.js");
const { signOwnerToken } = await import("../server/dist/process/sign-owner-token.js");
const { addWebhooks, makeBots, makePast, publish, startReceivers } = await import("./made-up-owner.mjs");

const OWNER = "alice";
const FOLDER = join(root, "docs/images");
const WIDE = { width: 1200, height: 750 };
const PHONE = { width: 390, height: 780 };
const BOTH = ["light", "dark"];
/** A time-out, so that the script cannot hang. */
const DELIVERED_WITHIN_MS = 60_000;

const dataDir = mkdtempSync(join(tmpdir(), "botyard-screenshots-"));
const config = loadConfig({
  DATA_DIR: dataDir,
  PORT: "0",
  LOG_LEVEL: "fatal",
  WEBHOOK_RETRY_SCHEDULE: "2s,10m",
});
const receivers = await startReceivers();
const { token } = await signOwnerToken(config, OWNER, Date.now() + 3_600_000, OWNER);
let service = await startService(config);
const browser = await launchChromium();
try {
  const ids = await makeBots(new OwnerClient(token, { url: service.url }), receivers);
  await service.stop();
  await makePast(dataDir, OWNER, ids);
  service = await startService(config);
  const owner = new OwnerClient(token, { url: service.url });
  await addWebhooks(owner, ids["support-desk"], receivers);
  await publish(owner, ids);
  await waitUntilDelivered(owner, ids.weather);
  const { items: errors } = await owner.listWebhookErrors(ids.deploys, { limit: 1 });

  await take("bots", "/", BOTH);
  await take("bot", `/bots/${ids.weather}`, BOTH);
  await take("update", `/bots/${ids.deploys}/updates?update=${errors[0].update_id}`, BOTH);
  await take("errors", `/bots/${ids.deploys}/errors`, BOTH);
  await take("live", `/bots/${ids["support-desk"]}/live`, ["dark"]);
  await take("webhook", `/bots/${ids.weather}/webhook`, ["light"], {
    act: async (page) => {
      await page.getByRole("button", { name: "Send a test event" }).click();
      await page.getByText(/Accepted with|Not accepted/).waitFor();
      await page.locator("#test").evaluate((panel) => panel.scrollIntoView({ block: "end" }));
    },
  });
  await take("webhooks", `/bots/${ids["support-desk"]}/webhook`, ["light"]);
  await take("phone-bots", "/", ["light"], { viewport: PHONE });
  await take("phone-bot", `/bots/${ids.weather}`, ["dark"], { viewport: PHONE });
} finally {
  await browser.close();
  await service.stop();
  receivers.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function take(name, path, colorSchemes, { viewport = WIDE, act } = {}) {
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of colorSchemes) {
    const page = await browser.newPage({ viewport, colorScheme, locale: "en-GB", timezoneId: "UTC" });
    await page.goto(`${service.url}/console${path}#token=${token}`);
    // The page has a heading before its code is there too, but in no <main>.
    await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    await act?.(page);
    await page.waitForFunction(
      () =>
        !document.querySelector("[aria-busy=true]") &&
        document
          .getAnimations()
          .every(
            ({ playState, effect }) => playState !== "running" || effect.getTiming().iterations === Infinity,
          ),
    );
    // Time for the last paint.
    await page.waitForTimeout(500);
    const file = `${name}-${colorScheme}.png`;
    await page.screenshot({ path: join(FOLDER, file) });
    progress(`${file}: ${Math.round(statSync(join(FOLDER, file)).size / 1000)} kB`);
    await page.close();
  }
}

/** Waits until the last posts are delivered, including retries. */
async function waitUntilDelivered(owner, botId) {
  const endsAt = performance.now() + DELIVERED_WITHIN_MS;
  for (;;) {
    const { pending_updates, scheduled_retries } = await owner.getBotStats(botId);
    if (pending_updates + scheduled_retries === 0) return;
    if (performance.now() > endsAt) throw new Error("the last posts are not delivered");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
