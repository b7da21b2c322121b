import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command and more webhooks than one", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;
  let receiver: Receiver;
  let world: World;
  let owner: Environment;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startInProcessService(dataDir);
    const ownerToken = async (user: string) =>
      (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string;
    world = await makeWorld({ url: service.url, ownerToken });
    owner = { BOTYARD_URL: service.url, BOTYARD_TOKEN: world.ownerToken };
    await command("webhook", "set", world.username, receiver.url);
    await publish();
    await eventually("it is delivered", () => receiver.requests.length === 1);
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });

  const command = (...args: string[]) => commandResult(args, owner);
  const publish = () =>
    ask(service, "POST", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
      body: { body: "a post" },
    });

  it("name a second one, which every command can be about", async () => {
    const second = await startReceiver();
    const at = (verb: string, ...args: string[]) =>
      command("webhook", verb, world.username, ...args, "--name", "Audit");
    const kinds = ["--event-type", "channel.*", "--event-type", "ticket.*"];
    const set = await at("set", second.url, ...kinds, "--deliver-from", "backlog");
    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/^webhook +Audit$/m) });
    expect(set.stdout).toMatch(/^kinds of events +channel\.\*, ticket\.\*$/m);
    await eventually("it is delivered there too", () => second.requests.length === 1);
    const list = await command("webhook", "list", world.username);
    expect(list.stdout).toMatch(/^default +\S+\/hook +healthy +0/m);
    expect(list.stdout).toMatch(/^Audit +\S+\/hook +/m);
    expect((await at("test")).code).toBe(0);
    expect(second.requests).toHaveLength(2);
    expect((await at("send-again", "1")).code).toBe(0);
    expect((await at("pause")).stdout).toMatch(/^state +paused/m);
    expect((await at("show")).stdout).toMatch(/^state +paused/m);
    expect((await command("webhook", "show", world.username)).stdout).not.toMatch(/paused/);
    await publish();
    expect((await at("skip", "2")).stdout).toMatch(/^state +failed$/m);
    const states = await command("updates", world.username, "--webhook", "audit", "--state", "failed");
    expect(states.stdout).toMatch(/^2 /m);
    expect((await at("errors")).stdout).toMatch(/^2 /m);
    expect((await at("errors", "--by-cause")).stdout).toContain("skipped");
    expect((await at("attempts", "2")).code).toBe(0);
    expect((await at("replay", "--all")).stdout).toMatch(/ 1 +1$/m);
    expect((await at("secret")).stdout).toMatch(/whsec_/);
    expect((await at("resume")).stdout).not.toMatch(/paused/);
    await eventually("it is sent after all", () => second.requests.length === 4);
    const stats = await command("bot", "stats", world.username, "--webhook", "audit");
    expect(stats.stdout).toMatch(/webhook +audit/);
    const timeline = await command("bot", "timeline", world.username, "--webhook", "audit");
    expect(timeline.code).toBe(0);
    expect((await at("remove", "--yes")).stdout).toContain("deleted");
    expect(await at("show")).toMatchObject({ code: 1, stderr: expect.stringContaining("webhook not found") });
    expect(await at("set", second.url, "--event-type", "chanel.*")).toMatchObject({ code: 0 });
    const typo = await at("set", second.url, "--event-type", "channel.post_craeted");
    expect(typo).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean channel.post_created"),
    });
    expect((await at("remove", "--yes")).code).toBe(0);
    await second.close();
  });

  it("set, show and remove the webhook for alerts", async () => {
    const alerts = (...args: string[]) => command("owner", "alerts", ...args);
    expect((await alerts("show")).stdout).toMatch(/^state +not set$/m);
    const set = await alerts("set", receiver.url, "--generate-secret", "--event-type", "webhook.paused");
    expect(set).toMatchObject({ code: 0, stderr: "keep the secret safe: it is not shown again\n" });
    expect(set.stdout).toMatch(/^secret_token +\S{43}$/m);
    expect((await alerts("show")).stdout).toMatch(/^kinds of events +webhook\.paused$/m);
    expect((await alerts("remove", "--yes")).stdout).toContain("deleted");
  });
});
