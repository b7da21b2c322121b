import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { run } from "../../../server/test/support/program.js";
import { makeWorld, type RealService, startService } from "../support/service.js";

const program = fileURLToPath(new URL("bot.mjs", import.meta.url));
const runtimes: [string, string[]][] = [
  [process.execPath, []],
  ["bun", []],
  ["deno", ["run", "--allow-all", "--no-lock"]],
];
/** Bun and Deno are not part of this repository; where they are installed, they are tested. */
const found: [string, string[], boolean][] = await Promise.all(
  runtimes.map(async ([name, args]) => [name, args, await isThere(name)] as [string, string[], boolean]),
);

async function isThere(name: string): Promise<boolean> {
  return (await run(name, ["--version"]).exit.catch(() => 1)) === 0;
}

describe("a bot", () => {
  let service: RealService;
  let folder: string;
  beforeAll(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), "botyard-runtimes-"));
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  for (const [name, args, isFound] of found) {
    it.skipIf(!isFound)(`polls, verifies and receives on ${name.split("/").at(-1)}`, async () => {
      const { token, channel } = await makeWorld(service);
      const position = join(folder, `${channel.slug}.json`);
      const bot = run(name, [...args, program, service.url, token, "a secret", position]);
      await service.owner.createChannelPost(channel.id, { body: "hello" });
      expect({ code: await bot.exit, stdout: bot.stdout(), stderr: bot.stderr() }).toEqual({
        code: 0,
        stdout: "200 401 NetworkError\n",
        stderr: "",
      });
      const { items } = await eventually("the echo", () => service.owner.listChannelPosts(channel.id));
      expect(items.map(({ body }) => body)).toEqual(["echo: hello", "hello"]);
      expect(JSON.parse(readFileSync(position, "utf8"))).toMatchObject({ offset: expect.any(Number) });
    });
  }
});
