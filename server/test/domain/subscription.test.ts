import { describe, expect, it } from "vitest";
import { mentionsIn, patternsOf } from "#botyard/domain/events/subscription.js";

describe("a mention", () => {
  it.each([
    ["hello @Echo!", ["echo"]],
    ["@a, @b and @a", ["a", "b"]],
    ["the end of a sentence: @echo...", ["echo...", "echo..", "echo.", "echo"]],
    ["@bot_1.x-y", ["bot_1.x-y"]],
    ["no@mail.example and @@twice, an @ alone, @-dash", []],
    ["(@a) [@b], \"@c\"; @d: '@e'? @f, @g. cc:@h <@i>", ["a", "b", "c", "d", "e", "f", "g.", "g", "h", "i"]],
    ["@echo@example.com and me@echo, me.too@echo, mailto:me@echo", []],
    ["https://x/@echo http://x.example/a,@echo?to=@echo#@echo HTTPS://x/(@echo)", []],
    ["x.example/@echo x.example?to=@echo x.example:8080/a(@echo) localhost:80/@echo x/@echo", []],
    ["https://x/@no @yes <https://x/@no>@yes2", ["yes", "yes2"]],
    ["", []],
  ])("in %j is %j", (text, usernames) => {
    expect(mentionsIn(text)).toEqual(usernames);
  });

  it.each(["@a.", "a/", "x.aa/", "a://", "@", ".aa:1"])("is sought in linear time in many %j", (part) => {
    // The shortest of several: other programs may take the processor meanwhile.
    const timeOf = (times: number): number => {
      const text = `${part.repeat(times)}@`;
      const runs = Array.from({ length: 10 }, () => {
        const startedAt = performance.now();
        mentionsIn(text);
        return performance.now() - startedAt;
      });
      return Math.min(...runs);
    };
    timeOf(1_000);
    // Quadratic time would be 256 times as much.
    expect(timeOf(64_000)).toBeLessThan(100 * Math.max(timeOf(4_000), 0.1));
  });

  it("is one of the first fifty in a text", () => {
    const names = Array.from({ length: 60 }, (_, index) => `bot${index}`);
    expect(mentionsIn(names.map((name) => `@${name}`).join(" "))).toEqual(names.slice(0, 50));
  });
});

describe("the entries that an event matches", () => {
  it.each([
    ["ticket.opened", ["ticket.opened", "ticket.*", "*", "custom"]],
    ["a.b.c.d", ["a.b.c.d", "a.b.c.*", "a.b.*", "a.*", "*", "custom"]],
    ["channel.updated", ["channel.updated", "channel.*", "*"]],
  ])("of %s", (eventType, patterns) => {
    expect(patternsOf(eventType)).toEqual(patterns);
  });
});
