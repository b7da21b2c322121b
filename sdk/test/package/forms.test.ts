import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repository } from "../../../server/test/support/program.js";

const exec = promisify(execFile);

/** The package is unpacked in an empty folder, so that no other package can hide a missing file. */
describe("the packed package", () => {
  let folder: string;
  let packed: { size: number; files: { path: string }[] };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "botyard-packed-"));
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const { stdout } = await exec(npm, ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: join(repository, "sdk"),
    });
    [packed] = JSON.parse(stdout);
    const home = join(folder, "node_modules/@botyard/sdk");
    mkdirSync(home, { recursive: true });
    const archive = join(folder, "botyard-sdk-0.1.0.tgz");
    await exec("tar", ["--extract", "--strip-components=1", "--file", archive, "--directory", home]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("contains the build and its reference, but no sources or tests", () => {
    const tops = new Set(packed.files.map(({ path }) => path.split("/").slice(0, 2).join("/")));
    expect([...tops].sort((a, b) => a.localeCompare(b))).toEqual([
      "dist/cjs",
      "dist/esm",
      "LICENSE",
      "package.json",
      "README.md",
    ]);
  });

  it.each([
    ["an ECMAScript module", "bot.mjs", (name: string, from: string) => `import { ${name} } from "${from}";`],
    ["CommonJS", "bot.cjs", (name: string, from: string) => `const { ${name} } = require("${from}");`],
  ])("works from %s, by itself", async (_, file, take) => {
    const program = join(folder, file);
    const lines = [
      take("Bot", "@botyard/sdk"),
      take("fileStore, webhookHandler", "@botyard/sdk/node"),
      take("startFakeService", "@botyard/sdk/testing"),
      `(async () => {
        const service = await startFakeService();
        const bot = new Bot(service.token, { url: service.url });
        bot.onPost(async (ctx) => { await ctx.reply("pong"); void bot.stop(); });
        service.publish(service.addChannel("news").id, "ping");
        await bot.start({ store: fileStore(${JSON.stringify(join(folder, `${file}.json`))}) });
        console.log(service.posts.map(({ body }) => body).join(), typeof webhookHandler);
        await service.stop();
      })();`,
    ];
    writeFileSync(program, lines.join("\n"));
    const { stdout, stderr } = await exec(process.execPath, [program]);
    expect({ stdout, stderr }).toEqual({ stdout: "ping,pong function\n", stderr: "" });
  });
});
