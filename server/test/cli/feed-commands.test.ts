import { afterAll, beforeAll, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const dataDir = temporaryFolder("cli");
let service: InProcessService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startInProcessService(dataDir, { PLATFORM_TOKEN, PLATFORM_FEED: "true" });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const webhook = (...args: string[]) =>
  commandResult(["feed", "webhook", ...args], { BOTYARD_URL: service.url, BOTYARD_TOKEN: PLATFORM_TOKEN });
const made = (slug: string) =>
  commandResult(["channel", "create", "--slug", slug, "--title", slug], {
    BOTYARD_URL: service.url,
    BOTYARD_TOKEN: PLATFORM_TOKEN,
    BOTYARD_OWNER: "alice",
  });

it("botyard feed webhook sets, shows and removes the webhook of the feed", async () => {
  expect((await webhook("show")).stdout).toMatch(/^state +not set$/m);
  const set = await webhook(
    "set",
    receiver.url,
    "--generate-secret",
    "--max-batch",
    "7",
    "--header",
    "X-Key: k",
  );
  expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining("not shown again") });
  expect(set.stdout).toMatch(/^secret_token +\S{43}$/m);
  expect(set.stdout).toMatch(/^items a request +7$/m);
  expect((await made("kitchen")).code).toBe(0);
  await eventually("it is called", () => receiver.requests.length === 1);
  expect(receiver.requests[0]?.headers["x-key"]).toBe("k");
  await eventually("that is recorded", async () => /^state +healthy$/m.test((await webhook("show")).stdout));
  expect((await webhook("set", receiver.url, "--max-batch", "101")).stderr).toMatch(/--max-batch/);
  expect((await webhook("remove", "--yes")).stdout).toMatch(/deleted/);
  expect((await webhook("show")).stdout).toMatch(/^state +not set$/m);
});
