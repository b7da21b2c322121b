import { spawnSync } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf, repository, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("botyard owner", () => {
  const dataDir = temporaryFolder("cli-owner");
  const file = join(dataDir, "alice.ndjson");
  let service: InProcessService;
  let alice: Environment;
  beforeAll(async () => {
    service = await startInProcessService(dataDir);
    alice = await environmentOf("alice", service, dataDir);
    await commandResult(["bot", "create", "--username", "echo"], alice);
    await commandResult(["channel", "create", "--slug", "news", "--title", "News"], alice);
    await commandResult(["bot", "attach", "echo", "news"], alice);
    await commandResult(["post", "--channel", "news", "--body", "hello"], alice);
  });
  afterAll(() => service.stop());

  it("does what docs/owner-data.md shows, and prints that", async () => {
    const page = await readFile(join(repository, "docs/owner-data.md"), "utf8");
    const shown = [...page.matchAll(/^```sh\nbotyard (.*)\n```\n\n```text\n([^`]*)```$/gm)];
    expect(shown).toHaveLength(2);
    const dave = await environmentOf("dave", service, dataDir);
    for (const [, command = "", printed = ""] of shown) {
      const words = command
        .replace("alice.ndjson", join(dataDir, "dave.ndjson"))
        .replace("alice", "dave")
        .split(" ");
      const { code, stdout, stderr } = await commandResult(words, dave);
      expect(code).toBe(0);
      const said = (stdout + stderr)
        .replace(join(dataDir, "dave.ndjson"), "alice.ndjson")
        .replace("dave ", "alice");
      expect(said.replace(/ +/g, " ")).toBe(printed.replace(/ +/g, " "));
    }
  });

  it.runIf(hasCurl)("does over HTTP what docs/owner-data.md shows", async () => {
    const page = await readFile(join(repository, "docs/owner-data.md"), "utf8");
    const calls = [...page.matchAll(/^```sh\n(curl [^`]*)```$/gm)].map(([, text = ""]) => text);
    const alike = calls.join("\n").replaceAll("curl ", "curl -sS ").replace('"alice"', '"erin"');
    const erin = await environmentOf("erin", service, dataDir);
    const shell = run("sh", ["-ec", alike], erin);
    expect(await shell.exit).toBe(0);
    const end = '{"type":"end","cursor":"end"}\n';
    expect(shell.stdout()).toBe(`${end}${end}{"status":"deleted"}`);
  });

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
      // A bot, a channel, and that the one is in the other.
      "audit",
      "audit",
      "audit",
      "end",
    ]);
    await writeFile(file, `${lines.slice(0, 2).join("\n")}\n${lines[2]?.slice(0, 30)}`);
    expect(await commandResult(["owner", "export", "--to", file], alice)).toMatchObject({ code: 0 });
    expect(await readFile(file, "utf8")).toBe(whole);
    expect((await commandResult(["owner", "export"], alice)).stdout).toBe(whole);
    const cursor = JSON.parse(lines[4] as string).cursor;
    expect((await commandResult(["owner", "export", "--after", cursor], alice)).stdout).toBe(
      `${lines.slice(5).join("\n")}\n`,
    );
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
    const left = (await commandResult(["owner", "export"], alice)).stdout.trimEnd().split("\n");
    expect(left.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ type: "audit", entry: expect.objectContaining({ operation: "eraseOwner" }) }),
      { type: "end", cursor: "end" },
    ]);
  });
});
