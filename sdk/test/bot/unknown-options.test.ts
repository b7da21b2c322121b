import { Bot, webhookHandler } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { newBot } from "../support/offline-bot.js";

describe("an option that there is not", () => {
  it("is refused, with the one that was meant", async () => {
    const url = "http://127.0.0.1:1";
    const bot = newBot();
    expect(() => new Bot("bot_x", { url, timeout: 1 } as never)).toThrow(
      'a bot has no option "timeout": did you mean "timeoutMs"?',
    );
    await expect(bot.start({ onGiveUp() {} } as never)).rejects.toThrow('did you mean "onGivenUp"?');
    expect(() => webhookHandler(bot, { secret: "s", onRefuse() {} } as never)).toThrow(
      'did you mean "onRefused"?',
    );
  });
});
