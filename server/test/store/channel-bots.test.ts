import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { setChannelBots } from "#botyard/operations/channels/set-channel-bots.js";
import { Contended, type Store } from "#botyard/store/store.js";
import { openChannelWorld } from "../support/channel-world.js";

/** Of a call to attach or detach a bot, as in a busy database. */
const STEP_MS = 20;

afterEach(() => {
  vi.restoreAllMocks();
});

describe(`setting a channel's bots on ${inject("engine")}`, () => {
  it("says so when other calls undo it again and again", async () => {
    const { store, world, close } = await openChannelWorld();
    const bot = await world.addBot("bot");
    const contested: Store = Object.assign(Object.create(store), {
      async listChannelBots(...of: Parameters<Store["listChannelBots"]>) {
        await detachBot(store, bot, world.channelId).catch(() => {});
        return await store.listChannelBots(...of);
      },
    });
    const set = setChannelBots(contested, world.channel, [{ botId: bot.botId }], {});
    await expect(set).rejects.toThrow(Contended);
    const { attached } = await setChannelBots(store, world.channel, [{ botId: bot.botId }], {});
    expect(attached).toEqual([bot.botId]);
    await close();
  });

  it("is done when it is undone only after it could be looked at", async () => {
    const { store, world, close } = await openChannelWorld();
    const bot = await world.addBot("bot");
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    let looks = 0;
    let undoing: NodeJS.Timeout | undefined;
    const undo = () => detachBot(store, bot, world.channelId).catch(() => {});
    const contested: Store = Object.assign(Object.create(store), {
      async listChannelBots(...of: Parameters<Store["listChannelBots"]>) {
        looks += 1;
        // From the third pass on a call waits.
        if (looks <= 2) await undo();
        return await store.listChannelBots(...of);
      },
      async attachBot(...of: Parameters<Store["attachBot"]>) {
        const attached = await store.attachBot(...of);
        // Sooner than any wait for other calls ends.
        if (looks > 1) undoing = setTimeout(() => void undo(), 15);
        return attached;
      },
    });
    const { attached } = await setChannelBots(contested, world.channel, [{ botId: bot.botId }], {});
    clearTimeout(undoing);
    expect(attached).toEqual([bot.botId]);
    await close();
  });

  it("ends with the bots of one call when two instances set others, however long each step takes", async () => {
    // A second copy of the module: calls of one copy take turns, as those at one instance do.
    const path = new URL("../../dist/operations/channels/set-channel-bots.js", import.meta.url);
    const another = (await import(`${path.href}?another`)) as { setChannelBots: typeof setChannelBots };
    const { store, world, close } = await openChannelWorld();
    const bots: { botId: string }[] = [];
    for (let n = 0; n < 6; n += 1) bots.push({ botId: (await world.addBot(`bot-${n}`)).botId });
    const slow: Store = Object.assign(Object.create(store), {
      async attachBot(...of: Parameters<Store["attachBot"]>) {
        await sleep(STEP_MS);
        return await store.attachBot(...of);
      },
      async detachBot(...of: Parameters<Store["detachBot"]>) {
        await sleep(STEP_MS);
        return await store.detachBot(...of);
      },
    });
    for (let race = 0; race < 3; race += 1) {
      await setChannelBots(store, world.channel, [], {});
      const [one, other] = [bots.slice(0, 3), bots.slice(3)];
      await Promise.all([
        setChannelBots(slow, world.channel, one, {}),
        another.setChannelBots(slow, world.channel, other, {}),
      ]);
      const attached = (await store.listChannelBots(world.channelId, 10)).map(({ bot }) => bot.id).sort();
      expect([one, other].map((list) => list.map(({ botId }) => botId).sort())).toContainEqual(attached);
    }
    await close();
  });
});
