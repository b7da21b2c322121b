import { describe, expect, it } from "vitest";
import { table } from "#botyard/cli/output/table.js";
import { shortened } from "#botyard/cli/output/text.js";

describe("a table", () => {
  it("has columns as wide as their widest cell, and empty cells for missing values", () => {
    expect(
      table([
        { id: "1", name: "long name", seen: undefined },
        { id: "22", name: "x", seen: "now" },
      ]),
    ).toBe("id  name       seen\n1   long name\n22  x          now\n");
  });

  it("cuts its widest columns where the terminal is too narrow for it", () => {
    const rows = [
      { id: "1", name: "echo", text: "a long text, and more" },
      { id: "2", name: "a rather long name", text: "short" },
    ];
    expect(table(rows, { terminalColumns: 27 })).toBe(
      ["id  name         text", "1   echo         a long te…", "2   a rather l…  short", ""].join("\n"),
    );
    for (let columns = 24; columns < 50; columns++)
      for (const line of table(rows, { terminalColumns: columns }).split("\n"))
        expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("is a list of fields where even that does not help, or where it has one row", () => {
    const rows = [
      { id: "1", name: "a rather long name" },
      { id: "2", name: "x" },
    ];
    expect(table(rows, { terminalColumns: 10 })).toBe(
      ["id    1", "name  a rather long name", "", "id    2", "name  x", ""].join("\n"),
    );
    expect(table(rows.slice(0, 1), { terminalColumns: 15 })).toBe("id    1\nname  a rather long name\n");
  });

  it("counts wide characters as the terminal does, and cuts none in two", () => {
    const rows = [
      { title: "新闻频道是一个", n: "1" },
      { title: "🙂x", n: "2" },
    ];
    expect(table(rows)).toBe("title           n\n新闻频道是一个  1\n🙂x             2\n");
    expect(table(rows, { terminalColumns: 13 })).toBe("title       n\n新闻频道…   1\n🙂x         2\n");
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
