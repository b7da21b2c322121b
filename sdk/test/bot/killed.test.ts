import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { run } from "../../../server/test/support/program.js";
import { makeWorld, startService } from "../support/service.js";

const UPDATES = 3_000;
const KILLS = 6;

it("a bot that is killed again and again handles every update at least once", async () => {
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), "botyard-killed-"));
  const [position, log] = [join(folder, "position.json"), join(folder, "handled.log")];
  try {
    const { token, channel } = await makeWorld(service);
    const handled = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(Number) : []);
    const program = fileURLToPath(new URL("until-killed.mjs", import.meta.url));

    const publishing = (async () => {
      for (let i = 0; i < UPDATES; i += 20) {
        const posts = Array.from({ length: 20 }, () =>
          service.owner.createChannelPost(channel.id, { body: "x" }),
        );
        await Promise.all(posts);
      }
    })();
    for (let kill = 1; kill <= KILLS; kill++) {
      const bot = run(process.execPath, [program, service.url, token, position, log]);
      const before = handled().length;
      await eventually("some are handled", () => handled().length > before + UPDATES / KILLS / 2);
      await bot.stop("SIGKILL");
      // The file has either one complete position or the other.
      if (existsSync(position)) JSON.parse(readFileSync(position, "utf8"));
    }
    await publishing;
    const last = run(process.execPath, [program, service.url, token, position, log]);
    await eventually("all are handled", () => new Set(handled()).size === UPDATES);
    await last.stop("SIGKILL");
    expect(Math.max(...handled())).toBe(UPDATES);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
});
