import { Bot, BotClient, type LogReset, memoryStore, type PositionStore } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";

/** A bot that has read up to 500 in a log that ends at 1, as after a restored backup. */
describe("a bot whose log ends before the last update it has read", () => {
  let fake: FakeService;
  let bot: Bot;
  let store: PositionStore;
  let channelId: string;
  let heard: string[];

  beforeEach(async () => {
    fake = await startFakeService();
    channelId = fake.addChannel("news").id;
    fake.publish(channelId, "kept");
    store = memoryStore();
    const { id } = await new BotClient(fake.token, { url: fake.url }).getMe();
    // Number 2 was another update before, and must not count as handled now.
    await store.save({ bot_id: id, offset: 500, handled: [502] });
    heard = [];
    bot = new Bot(fake.token, { url: fake.url });
    bot.onPost((ctx) => void heard.push(ctx.payload.body));
  });
  afterEach(async () => {
    await bot.stop();
    await fake.stop();
    vi.restoreAllMocks();
  });

  it("calls onLogReset once, continues from that end, and misses no later update", async () => {
    const resets: LogReset[] = [];
    const running = bot.start({ store, onLogReset: (reset) => resets.push(reset) });
    await eventually("the reset is told", () => resets.length > 0);
    fake.publish(channelId, "new");
    fake.publish(channelId, "newer");
    await eventually("both are handled", () => heard.length === 2);
    expect(heard).toEqual(["new", "newer"]);
    expect(resets).toEqual([{ offset: 500, head: 1 }]);
    await bot.stop();
    await running;
    expect(await store.load()).toMatchObject({ offset: 3, handled: [] });
  });

  it("prints a line without onLogReset", async () => {
    const say = vi.spyOn(console, "error").mockImplementation(() => {});
    const running = bot.start({ store });
    await eventually("a line", () => say.mock.calls.length > 0);
    expect(say.mock.calls).toEqual([
      [expect.stringMatching(/^botyard: the log ends at update 1, but .* 500: /)],
    ]);
    await bot.stop();
    await running;
  });

  it("stops when onLogReset throws, and keeps its position", async () => {
    const running = bot.start({
      store,
      onLogReset() {
        throw new Error("I want to look into that first");
      },
    });
    await expect(running).rejects.toThrow("look into that");
    expect(await store.load()).toMatchObject({ offset: 500 });
  });

  it("continues in a loop over updates as well", async () => {
    const resets: LogReset[] = [];
    const client = new BotClient(fake.token, { url: fake.url });
    const updates = client.updates({ offset: 500, onLogReset: (reset) => resets.push(reset) });
    const next = updates.next();
    await eventually("the reset is told", () => resets.length > 0);
    fake.publish(channelId, "new");
    expect((await next).value).toMatchObject({ update_id: 2 });
    expect(resets).toEqual([{ offset: 500, head: 1 }]);
    await updates.return();
  });
});
