import type { FastifyReply } from "fastify";
import { expect, it } from "vitest";
import { createMinuteLimit } from "#botyard/http/limits/minute-limit.js";

it("limits actions within any minute, and returns when the next one is allowed", () => {
  let now = 0;
  const limit = createMinuteLimit(3, "things", "too_many_tests", () => now);
  let waits: unknown[] = [];
  const reply = {
    code: () => reply,
    header: (name: string, value: unknown) => {
      if (name === "retry-after") waits.push(value);
      return reply;
    },
    send: () => reply,
  };
  const admit = (key = "a") => limit.admit(reply as unknown as FastifyReply, key);

  expect([admit(), admit()]).toEqual([true, true]);
  now = 50_000;
  expect([admit(), admit(), admit("b")]).toEqual([true, false, true]);
  expect(waits).toEqual([10]);
  waits = [];
  now = 60_000;
  // What was refused does not count. Two of the first minute are over, the third is not.
  expect([admit(), admit(), admit()]).toEqual([true, true, false]);
  expect(waits).toEqual([50]);
  now = 200_000;
  expect(admit()).toBe(true);
});
