import { describe, expect, it } from "vitest";
import { parseWebhookUrl, SECRET_TOKEN_PATTERN } from "#botyard/domain/delivery/webhook.js";
import { InvalidInput } from "#botyard/domain/errors.js";

describe("a webhook URL", () => {
  it.each([
    ["https://example.com/hook", "https://example.com/hook"],
    ["http://example.com", "http://example.com/"],
    ["HTTPS://EXAMPLE.com:443/Path?Q=1", "https://example.com/Path?Q=1"],
    ["https://bücher.example/ä?ö", "https://xn--bcher-kva.example/%C3%A4?%C3%B6"],
    ["https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["http://[::ffff:127.0.0.1]:8080/", "http://[::ffff:7f00:1]:8080/"],
    [`https://example.com/${"x".repeat(2028)}`, `https://example.com/${"x".repeat(2028)}`],
  ])("%s becomes %s", (text, href) => {
    expect(parseWebhookUrl(text).href).toBe(href);
  });

  it.each([
    ["", "absolute"],
    ["example.com/hook", "absolute"],
    ["/hook", "absolute"],
    ["https://", "absolute"],
    ["http:example.com", "absolute"],
    ["http:///example.com", "absolute"],
    ["https:////example.com/hook", "absolute"],
    ["HTTPS:/example.com", "absolute"],
    ["http:\\\\example.com", "absolute"],
    ["http://exa mple.com", "white space"],
    [" https://example.com/", "white space"],
    ["https://example.com/a\tb", "white space"],
    ["https://example.com/a\u0000b", "control characters"],
    ["http://1.2.3.4.5/", "absolute"],
    ["http://xn--/", "absolute"],
    ["https://a.xn--0.example/", "absolute"],
    ["https://xn--a-ecp.ru/", "absolute"],
    ["ftp://example.com/", "https:// or http://"],
    ["javascript:alert(1)", "https:// or http://"],
    ["file:///etc/passwd", "https:// or http://"],
    ["https://user@example.com/", "user name"],
    ["https://:password@example.com/", "user name"],
    ["https://example.com/#part", "fragment"],
    ["https://example.com/#", "fragment"],
    [`https://example.com/${"x".repeat(2029)}`, "2048"],
  ])("%s is refused, for its %s", (text, reason) => {
    expect(() => parseWebhookUrl(text)).toThrow(InvalidInput);
    expect(() => parseWebhookUrl(text)).toThrow(reason);
  });
});

describe("a secret token", () => {
  const pattern = new RegExp(SECRET_TOKEN_PATTERN);

  it.each(["", "a", "!~", "A-Za-z0-9_-"])("may be %o", (text) => {
    expect(pattern.test(text)).toBe(true);
  });

  it.each([" ", "a b", "a\r\nX-Evil: 1", "a\n", "\u0000", "ä", "👋", "\u007f"])("may not be %o", (text) => {
    expect(pattern.test(text)).toBe(false);
  });
});
