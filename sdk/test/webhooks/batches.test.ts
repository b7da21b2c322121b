import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Bot, memorySeen, webhookHandler } from "@botyard/sdk";
import { webhookHandler as nodeHandler } from "@botyard/sdk/node";
import { signWebhook, startFakeService } from "@botyard/sdk/testing";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";

const secret = "open-sesame";
const me = { id: "i", bot_user_id: "u", username: "echo", display_name: "Echo" };
const newBot = () => new Bot("bot_x", { url: "http://127.0.0.1:1", me });
const updateOf = (update_id: number) => ({ update_id, event_type: "x", payload: {}, created_at: "" });
const batchOf = (...ids: number[]) => JSON.stringify({ items: ids.map(updateOf) });

async function requestOf(body: string, signedWith = secret): Promise<Request> {
  const headers = await signWebhook({ secret: signedWith, body });
  return new Request("http://x", { method: "POST", headers, body });
}

describe("a webhook handler that gets batches", () => {
  it("handles each update in order, once, and names those whose handler failed", async () => {
    const handled: number[] = [];
    const failing = new Set([2]);
    const bot = newBot().use((ctx) => {
      handled.push(ctx.update.update_id);
      if (failing.has(ctx.update.update_id)) throw new Error("no");
    });
    const handle = webhookHandler(bot, { secret, seen: memorySeen() });
    const first = await handle(await requestOf(batchOf(1, 2, 3)));
    expect([first.status, await first.json()]).toEqual([200, { failed: [2] }]);
    failing.clear();
    const second = await handle(await requestOf(batchOf(1, 2, 3)));
    expect([second.status, await second.json()]).toEqual([200, { ok: true }]);
    expect(handled).toEqual([1, 2, 3, 2]);
  });

  it("does not hand a test event to handlers, and refuses what has an item that is no update", async () => {
    let handled = 0;
    const handle = webhookHandler(
      newBot().use(() => void (handled += 1)),
      { secret, seen: memorySeen(), onRefused: () => {} },
    );
    const test = JSON.stringify({ items: [{ ...updateOf(0), event_type: "webhook.test" }] });
    expect((await handle(await requestOf(test))).status).toBe(200);
    expect((await handle(await requestOf('{"items":[{}]}'))).status).toBe(400);
    expect((await handle(await requestOf(batchOf(1), "other"))).status).toBe(401);
    expect(handled).toBe(0);
  });

  it("answers first when it is told to, and keeps the runtime alive", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handled: number[] = [];
    const bot = newBot().use(async (ctx) => {
      await finished;
      handled.push(ctx.update.update_id);
    });
    const kept: Promise<unknown>[] = [];
    const handle = webhookHandler(bot, { secret, seen: memorySeen(), acknowledge: "first" });
    const context = { kept, waitUntil: (work: Promise<unknown>) => void kept.push(work) };
    const answer = await handle(await requestOf(batchOf(1, 2)), {}, context);
    expect(answer.status).toBe(200);
    expect(handled).toEqual([]);
    expect((await handle(await requestOf(batchOf(3), "other"))).status).toBe(401);
    finish();
    await Promise.all(kept);
    expect(kept).toHaveLength(1);
    expect(handled).toEqual([1, 2]);
  });

  it("gets what the fake service sends in batches", async () => {
    const fake = await startFakeService();
    const failing = new Set([2]);
    const bot = new Bot(fake.token, { url: fake.url }).use((ctx) => {
      if (failing.delete(ctx.update.update_id)) throw new Error("once");
    });
    const server = createServer(nodeHandler(bot, { secret, seen: memorySeen() })).listen(0, "127.0.0.1");
    await eventually("it listens", () => server.listening);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      for (let i = 0; i < 3; i += 1) fake.append("ticket.opened", {});
      expect(await fake.deliver(url, secret, { maxBatch: 2 })).toEqual([
        { update_id: 1, status: 200 },
        { update_id: 2, status: 200, failed: true },
        { update_id: 3, status: 200 },
      ]);
      expect(await fake.deliver(url, secret, { maxBatch: 2 })).toEqual([{ update_id: 2, status: 200 }]);
    } finally {
      server.close();
      server.closeAllConnections();
      await fake.stop();
    }
  });
});
