import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import {
  type Environment,
  environmentOf,
  type ServiceProcess,
  startServiceProcess,
} from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("botyard owner", () => {
  const dataDir = temporaryFolder("cli-owner");
  const file = join(dataDir, "alice.ndjson");
  let service: ServiceProcess;
  let alice: Environment;
  beforeAll(async () => {
    service = await startServiceProcess(dataDir);
    alice = await environmentOf("alice", service, dataDir);
    await commandResult(["bot", "create", "--username", "echo"], alice);
    await commandResult(["channel", "create", "--slug", "news", "--title", "News"], alice);
    await commandResult(["bot", "attach", "echo", "news"], alice);
    await commandResult(["post", "--channel", "news", "--body", "hello"], alice);
  });
  afterAll(() => service.stop());

  it("exports to a file, and continues one that broke off", async () => {
    expect(await commandResult(["owner", "export", "--to", file], alice)).toMatchObject({
      code: 0,
      stdout: "",
    });
    const whole = await readFile(file, "utf8");
    const lines = whole.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      "bot",
      "channel",
      "post",
      "attachment",
      "update",
      "end",
    ]);
    await writeFile(file, `${lines.slice(0, 2).join("\n")}\n${lines[2]?.slice(0, 30)}`);
    expect(await commandResult(["owner", "export", "--to", file], alice)).toMatchObject({ code: 0 });
    expect(await readFile(file, "utf8")).toBe(whole);
    expect((await commandResult(["owner", "export"], alice)).stdout).toBe(whole);
    const cursor = JSON.parse(lines[4] as string).cursor;
    expect((await commandResult(["owner", "export", "--after", cursor], alice)).stdout).toBe(`${lines[5]}\n`);
  });

  it("leaves a complete export and other files alone", async () => {
    const again = await commandResult(["owner", "export", "--to", file], alice);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is a complete export") });
    const other = join(dataDir, "notes.txt");
    await appendFile(other, "notes\n");
    const refused = await commandResult(["owner", "export", "--to", other], alice);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is not an export") });
    expect(await readFile(other, "utf8")).toBe("notes\n");
  });

  it("erases with the user id, and not without", async () => {
    const asked = await commandResult(["owner", "erase"], alice);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes with your user id") });
    expect(await commandResult(["owner", "erase", "--yes", "bob"], alice)).toMatchObject({ code: 1 });
    expect((await commandResult(["bot", "list"], alice)).stdout).toContain("echo");
    const erased = await commandResult(["owner", "erase", "--yes", "alice", "--json"], alice);
    expect(JSON.parse(erased.stdout)).toEqual({ status: "deleted" });
    expect((await commandResult(["owner", "export"], alice)).stdout).toBe('{"type":"end","cursor":"end"}\n');
  });
});
