import { expect, it } from "vitest";
import { createVerifiedTokens } from "#botyard/http/credentials/verified-tokens.js";

const MINUTE_MS = 60_000;

it("a token is remembered for half a minute, and never past its expiry", () => {
  const tokens = createVerifiedTokens<string>();
  tokens.keep("long", "alice", 10 * MINUTE_MS, 0);
  tokens.keep("short", "bob", 1000, 0);
  expect(tokens.find("long", MINUTE_MS / 2 - 1)).toBe("alice");
  expect(tokens.find("long", MINUTE_MS / 2)).toBeUndefined();
  expect(tokens.find("short", 999)).toBe("bob");
  expect(tokens.find("short", 1000)).toBeUndefined();
  expect(tokens.find("shor", 0)).toBeUndefined();
});

it("a bounded number is remembered, the oldest are dropped first, and huge ones are never stored", () => {
  const tokens = createVerifiedTokens<number>();
  for (let number = 0; number < 1500; number++) tokens.keep(`token ${number}`, number, MINUTE_MS, 0);
  const known = Array.from({ length: 1500 }, (_, number) => tokens.find(`token ${number}`, 0));
  expect(known.filter((number) => number !== undefined)).toHaveLength(1000);
  expect(known[499]).toBeUndefined();
  expect(known[500]).toBe(500);
  const huge = "x".repeat(5000);
  tokens.keep(huge, 1, MINUTE_MS, 0);
  expect(tokens.find(huge, 0)).toBeUndefined();
});
