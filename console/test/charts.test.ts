import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { makeBusyTimeline } from "../../server/test/support/busy-timeline.js";
import { eventually } from "../../server/test/support/eventually.js";
import { startReceiver } from "../../server/test/support/receiver.js";
import { DURATION_STEPS, durationLabel } from "../src/ui/duration.js";
import { seriousFindings } from "./support/axe.js";
import { useConsole } from "./support/console.js";

const under = useConsole();
let botId = "";

beforeAll(async () => {
  const { owner } = under.service;
  const receiver = await startReceiver();
  const channel = await owner.createChannel({ slug: "news", title: "News" });
  botId = (await owner.createBot({ username: "reader" })).bot.id;
  await owner.attachBot(botId, channel.id);
  await owner.putWebhook(botId, { url: receiver.url });
  for (let i = 1; i <= 5; i++) await owner.createChannelPost(channel.id, { body: `post ${i}` });
  await eventually(
    "everything is delivered",
    async () => (await owner.getBotStats(botId)).delivered_updates === 5,
  );
  await receiver.close();
});

/** Where the last bar of the chart of attempts ends, and where the chart does, in pixels of its canvas. */
function endOfBars(page: Page): Promise<{ bar: number; chart: number }> {
  return page.getByRole("img", { name: /^Attempts in/ }).evaluate((chart) => {
    const canvas = chart.querySelector("canvas");
    // A copy, since uPlot's own canvas is not made for being read.
    const copy = new OffscreenCanvas(canvas?.width ?? 1, canvas?.height ?? 1);
    const context = copy.getContext("2d", { willReadFrequently: true });
    if (canvas) context?.drawImage(canvas, 0, 0);
    const plot = chart.querySelector(".u-over");
    if (!canvas || !context || !plot) return { bar: 0, chart: 0 };
    const scale = canvas.width / canvas.getBoundingClientRect().width;
    const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
    let bar = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4);
      // The teal of what was delivered.
      if (alpha > 200 && green > red + 60 && green > blue) bar = Math.max(bar, (at / 4) % width);
    }
    const left = canvas.getBoundingClientRect().left;
    return { bar, chart: (plot.getBoundingClientRect().right - left) * scale };
  });
}

describe("charts", () => {
  it("draw the last bar whole", async () => {
    const page = await under.signedIn(`/console/bots/${botId}`);
    await page.getByRole("img", { name: "Attempts in the last hour: 5 delivered" }).waitFor();
    await expect.poll(async () => (await endOfBars(page)).bar).toBeGreaterThan(0);
    const { bar, chart } = await endOfBars(page);
    expect(bar).toBeLessThan(chart - 1);
  });

  it("have their range in the URL, and open the updates of the interval that is clicked", async () => {
    const page = await under.signedIn(`/console/bots/${botId}?range=24h&theme=dark`);
    await page.getByRole("img", { name: "Attempts in the last 24 hours: 5 delivered" }).waitFor();
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
    await page.getByText("7 days").click();
    const chart = page.getByRole("img", { name: "Attempts in the last 7 days: 5 delivered" });
    await chart.waitFor();
    expect(new URL(page.url()).search).toBe("?range=7d");
    const plot = await chart.locator(".u-over").boundingBox();
    if (!plot) throw new Error("there is no chart");
    await page.mouse.click(plot.x + plot.width - 2, plot.y + plot.height / 2);
    await page.getByRole("list", { name: "Updates" }).getByRole("listitem").first().waitFor();
    const { searchParams } = new URL(page.url());
    const [since, until] = ["since", "until"].map((name) => Date.parse(searchParams.get(name) ?? ""));
    expect((until ?? 0) - (since ?? 0)).toBe(3_600_000);
    // What was recorded before the hour, if anything, is not among them.
    const shown = await page
      .getByRole("list", { name: "Updates" })
      .getByRole("listitem")
      .locator("time")
      .all();
    for (const time of shown) {
      expect(Date.parse((await time.getAttribute("datetime")) ?? "")).toBeGreaterThanOrEqual(since ?? 0);
    }
  });
});

describe("the overview of a bot with several webhooks", () => {
  it("has the counters and charts of the one that is chosen, and links to its updates", async () => {
    const { owner } = under.service;
    const audit = await startReceiver();
    const at = { webhook: "audit" };
    await owner.putWebhook(botId, { url: audit.url, deliver_from: "4" }, at);
    await eventually(
      "two are delivered",
      async () => (await owner.getBotStats(botId, at)).delivered_updates === 2,
    );
    await audit.close();
    const page = await under.signedIn(`/console/bots/${botId}`);
    await page.getByRole("img", { name: "Attempts in the last hour: 5 delivered" }).waitFor();
    await page.getByRole("combobox", { name: "Webhook" }).selectOption("audit");
    await page.getByRole("img", { name: "Attempts in the last hour: 2 delivered" }).waitFor();
    expect(await page.getByTestId("counter-Updates").textContent()).toBe("5");
    expect(await page.getByTestId("counter-Delivered").textContent()).toBe("2");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByText("24 hours").click();
    await page.getByRole("img", { name: "Attempts in the last 24 hours: 2 delivered" }).waitFor();
    expect(new URL(page.url()).search).toBe("?range=24h&webhook=audit");
    await page.getByRole("link", { name: "Delivered" }).click();
    await expect
      .poll(() => page.getByRole("list", { name: "Updates" }).getByRole("listitem").count())
      .toBe(2);
    await owner.deleteWebhook(botId, at);
  });
});

describe("a burst", () => {
  it("is cut off where it would make the usual intervals flat, and the chart says so", async () => {
    const { service } = under;
    const usual = Array.from({ length: 19 }, () => 20);
    await service.halt();
    const burst = await makeBusyTimeline(service.dataDir, "http://127.0.0.1:1/", [...usual, 5_000]);
    const even = await makeBusyTimeline(service.dataDir, "http://127.0.0.1:1/", [...usual, 30]);
    await service.restart();
    const page = await under.signedIn(`/console/bots/${burst}`);
    await page
      .getByText(/delivered, 0 retried, 0 failed\. The scale ends at 40; the highest is 5,000$/)
      .waitFor();
    // A usual bar is half as high as the chart: the scale ends at twice the usual.
    await expect.poll(() => heightOfBars(page)).toBeGreaterThan(0.4);
    expect(await heightOfBars(page)).toBeLessThan(0.6);
    await page.goto(`${service.url}/console/bots/${even}`);
    await page
      .getByText(/410 delivered|411 delivered/)
      .first()
      .waitFor();
    expect(await page.getByText(/The scale ends at/).count()).toBe(0);
  });
});

/** How high the bar of an interval of usual size is drawn, as a part of the chart's height: the median of all columns with one. */
function heightOfBars(page: Page): Promise<number> {
  return page.getByRole("img", { name: /^Attempts in/ }).evaluate((chart) => {
    const canvas = chart.querySelector("canvas");
    const plot = chart.querySelector(".u-over");
    const copy = new OffscreenCanvas(canvas?.width ?? 1, canvas?.height ?? 1);
    const context = copy.getContext("2d", { willReadFrequently: true });
    if (canvas) context?.drawImage(canvas, 0, 0);
    if (!canvas || !context || !plot) return 0;
    const scale = canvas.height / canvas.getBoundingClientRect().height;
    const plotHeight = plot.getBoundingClientRect().height * scale;
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    const heights: number[] = [];
    for (let x = 0; x < width; x++) {
      let pixels = 0;
      for (let y = 0; y < height; y++) {
        const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(
          (y * width + x) * 4,
          (y * width + x) * 4 + 4,
        );
        if (alpha > 200 && green > red + 60 && green > blue) pixels += 1;
      }
      if (pixels > 0) heights.push(pixels / plotHeight);
    }
    return heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0;
  });
}

describe("an axis of durations", () => {
  it("counts in whole units that people use", () => {
    for (const step of DURATION_STEPS) {
      for (let tick = 1; tick <= 6; tick++) {
        const [number = "", unit = ""] = durationLabel(tick * step, step).split(" ");
        const lengthMs = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN;
        expect(Number(number) * lengthMs, `${number} ${unit}`).toBe(tick * step);
      }
    }
  });
});
