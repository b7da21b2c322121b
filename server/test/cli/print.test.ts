import { describe, expect, it } from "vitest";
import { shortened, table } from "#botyard/cli/print.js";

describe("a table", () => {
  it("has columns as wide as their widest cell, and empty cells for missing values", () => {
    expect(
      table([
        { id: "1", name: "long name", seen: undefined },
        { id: "22", name: "x", seen: "now" },
      ]),
    ).toBe("id  name       seen\n1   long name\n22  x          now\n");
  });

  it("says when there is nothing", () => {
    expect(table([])).toBe("(none)\n");
  });

  it("has the beginning of what is too long for it, by whole characters", () => {
    expect(shortened("x".repeat(80))).toBe("x".repeat(80));
    expect(shortened("🙂".repeat(81))).toBe(`${"🙂".repeat(79)}…`);
  });

  it("escapes control characters in names", () => {
    expect(table([{ name: "\u001B[31mred\u202E\nnext" }])).toBe(
      "name\n\u{FFFD}[31mred\u{FFFD}\u{FFFD}next\n",
    );
  });
});
