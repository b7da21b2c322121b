import { Bot } from "@botyard/sdk";
import { startFakeService } from "@botyard/sdk/testing";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";

describe("a start before the service", () => {
  it("waits for it when asked to, and says so once", async () => {
    const fake = await startFakeService();
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => lines.push(line);
    try {
      fake.answerNext({ status: 503, headers: {}, body: '{"error":"later"}' }, 2);
      const early = new Bot(fake.token, { url: fake.url, retries: 0 });
      const started: string[] = [];
      const running = early.start({ wait: true, onStart: ({ me }) => void started.push(me.username) });
      await eventually("it has started", () => started.length === 1);
      await early.stop();
      await running;
      expect(lines.filter((line) => line.includes("waiting for the service"))).toHaveLength(1);
    } finally {
      console.error = error;
      await fake.stop();
    }
  });

  it("ends by a stop", async () => {
    const early = new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0 });
    const { error } = console;
    console.error = () => {};
    const running = early.start({ wait: true });
    await early.stop();
    await running;
    console.error = error;
  });
});
