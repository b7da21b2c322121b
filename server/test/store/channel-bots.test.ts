import { describe, expect, inject, it } from "vitest";
import { RevisionConflict } from "#botyard/domain/errors.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { setChannelBots } from "#botyard/operations/channels/set-channel-bots.js";
import type { Store } from "#botyard/store/store.js";
import { openChannelWorld } from "../support/channel-world.js";

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
    await expect(set).rejects.toThrow(RevisionConflict);
    const { attached } = await setChannelBots(store, world.channel, [{ botId: bot.botId }], {});
    // The last call of the contested one has attached it.
    expect(attached).toEqual([]);
    await close();
  });
});
