import { afterAll, beforeAll, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const dataDir = temporaryFolder("cli");
let service: InProcessService;
beforeAll(async () => {
  service = await startInProcessService(dataDir, { PLATFORM_TOKEN });
});
afterAll(() => service.stop());

const run = (args: string[], owner?: string) =>
  commandResult(args, {
    BOTYARD_URL: service.url,
    BOTYARD_TOKEN: PLATFORM_TOKEN,
    ...(owner !== undefined && { BOTYARD_OWNER: owner }),
  });

it("botyard audit shows who changed what, of one owner or of all", async () => {
  for (const owner of ["alice", "bob"]) {
    expect((await run(["bot", "create", "--username", `bot_of_${owner}`], owner)).code).toBe(0);
    await run(["channel", "create", "--slug", owner, "--title", "A room"], owner);
    await run(["bot", "attach", `bot_of_${owner}`, owner], owner);
  }
  const own = await run(["audit"], "alice");
  expect(own).toMatchObject({ code: 0, stderr: "" });
  expect(own.stdout.trim().split("\n")).toHaveLength(4);
  expect(own.stdout).toMatch(/platform +attachBot +attachment \S+ in \S+ +role/);
  const all = await run(["audit", "--all", "--operation", "createBot", "--since", "1h", "--json"]);
  const { items } = JSON.parse(all.stdout);
  expect(items.map((item: { owner_user_id: string }) => item.owner_user_id)).toEqual(["bob", "alice"]);
  const one = await run(["audit", "--all", "--target", items[0].target.id, "--limit", "1", "--json"]);
  expect(JSON.parse(one.stdout).items).toMatchObject([{ operation: "attachBot" }]);
  expect((await run(["audit", "--until", "1h"], "alice")).stdout).not.toContain("createBot");
  expect((await run(["audit", "--since", "soon"], "alice")).code).toBe(2);
  expect((await run(["audit"])).code).not.toBe(0);
});
