import { describe, expect, it } from "vitest";
import { mentionsIn, patternsOf } from "#botyard/domain/subscription.js";

describe("a mention", () => {
  it.each([
    ["hello @Echo!", ["echo"]],
    ["@a, @b and @a", ["a", "b"]],
    ["the end of a sentence: @echo...", ["echo...", "echo..", "echo.", "echo"]],
    ["@bot_1.x-y", ["bot_1.x-y"]],
    ["no@mail.example and @@twice, an @ alone, @-dash", []],
    ["", []],
  ])("in %j is %j", (text, usernames) => {
    expect(mentionsIn(text)).toEqual(usernames);
  });

  it("is one of the first fifty in a text", () => {
    const names = Array.from({ length: 60 }, (_, index) => `bot${index}`);
    expect(mentionsIn(names.map((name) => `@${name}`).join(" "))).toEqual(names.slice(0, 50));
  });
});

describe("the entries that an event matches", () => {
  it.each([
    ["ticket.opened", ["ticket.opened", "ticket.*", "*"]],
    ["a.b.c.d", ["a.b.c.d", "a.b.c.*", "a.b.*", "a.*", "*"]],
  ])("of %s", (eventType, patterns) => {
    expect(patternsOf(eventType)).toEqual(patterns);
  });
});
