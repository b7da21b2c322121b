import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";

describe("the botyard command for platforms", () => {
  const dataDir = temporaryFolder("platform");
  let service: InProcessService;
  let alice: Environment;
  let platform: Environment;

  beforeAll(async () => {
    service = await startInProcessService(dataDir, { PLATFORM_TOKEN });
    alice = await environmentOf("alice", service, dataDir);
    platform = { ...alice, BOTYARD_TOKEN: PLATFORM_TOKEN };
  });
  afterAll(() => service.stop());

  it("makes a channel by an id of yours, once", async () => {
    const acting = { ...platform, BOTYARD_OWNER: "alice" };
    const made = await commandResult(["channel", "put", "room 1", "--title", "Room"], acting);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/external id +room 1/) });
    await commandResult(["channel", "put", "room 1", "--title", "Room one"], acting);
    const shown = await commandResult(["channel", "show", "room 1", "--external", "--json"], alice);
    expect(JSON.parse(shown.stdout)).toMatchObject({ title: "Room one", owner_user_id: "alice" });
    const nobody = await commandResult(["channel", "list"], platform);
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("Botyard-Owner")]);
  });

  it("publishes the posts of a file and says which were refused", async () => {
    const file = join(dataDir, "posts.jsonl");
    const lines = [
      { external_id: "room 1", body: "one" },
      { external_id: "room 1", body: " " },
      { body: "no" },
    ];
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n\n")}\n`);
    const { code, stdout, stderr } = await commandResult(["batch", "posts", file], alice);
    expect([code, stderr]).toEqual([1, expect.stringContaining("1 published, 2 refused")]);
    expect(stdout).toMatch(/\n3 +400 +blank_body/);
    const posts = await commandResult(["channel", "posts", `c-${await idOf("room 1")}`, "--json"], alice);
    expect(JSON.parse(posts.stdout).items).toMatchObject([{ body: "one" }]);
    writeFileSync(file, "{}\n[1]\n");
    const bad = await commandResult(["batch", "posts", file], alice);
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("line 2 of")]);
    const missing = await commandResult(["batch", "posts", join(dataDir, "none")], alice);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("none")]);
  });

  it("emits the events of a file", async () => {
    const file = join(dataDir, "events.jsonl");
    writeFileSync(file, JSON.stringify({ external_id: "room 1", event_type: "room.opened", payload: {} }));
    const { code, stderr } = await commandResult(["batch", "events", file], alice);
    expect([code, stderr]).toEqual([0, expect.stringContaining("1 emitted, 0 refused")]);
  });

  it("sets the bots of a channel", async () => {
    const slug = `c-${await idOf("room 1")}`;
    for (const username of ["echo", "weather"]) {
      await commandResult(["bot", "create", "--username", username], alice);
    }
    const set = await commandResult(["channel", "set-bots", slug, "echo", "weather", "--yes"], alice);
    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/attached +detached\n.* 2 +0\n/) });
    await commandResult(["channel", "set-bots", slug, "weather", "--yes"], alice);
    const listed = await commandResult(["channel", "bots", slug, "--json"], alice);
    expect(JSON.parse(listed.stdout).items).toMatchObject([{ bot: { username: "weather" } }]);
  });

  async function idOf(externalId: string): Promise<string> {
    const { stdout } = await commandResult(["channel", "show", externalId, "--external", "--json"], alice);
    return JSON.parse(stdout).id;
  }
});
