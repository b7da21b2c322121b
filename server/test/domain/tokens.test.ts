import { describe, expect, it } from "vitest";
import { hashBotToken, looksLikeBotToken, newBotToken } from "#botyard/domain/bots/tokens.js";

describe("a bot token", () => {
  it("is bot_ and 43 characters, and looks like one", () => {
    const token = newBotToken();
    expect(token).toMatch(/^bot_[A-Za-z0-9_-]{43}$/);
    expect(looksLikeBotToken(token)).toBe(true);
  });

  it("is never the same twice, in any of its characters' places", () => {
    const tokens = Array.from({ length: 1000 }, () => newBotToken());
    expect(new Set(tokens).size).toBe(1000);
    for (let place = 4; place < 47; place += 1) {
      expect(new Set(tokens.map((token) => token[place])).size).toBeGreaterThan(8);
    }
  });

  it.each([
    "",
    "bot_",
    `bot_${"a".repeat(42)}`,
    `bot_${"a".repeat(44)}`,
    `BOT_${"a".repeat(43)}`,
    `bot_${"a".repeat(42)}!`,
    ` bot_${"a".repeat(43)}`,
    `bot_${"a".repeat(43)}\n`,
  ])("is not %o", (text) => {
    expect(looksLikeBotToken(text)).toBe(false);
  });

  it("is stored as its SHA-256", () => {
    // echo -n abc | sha256sum
    expect(hashBotToken("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
