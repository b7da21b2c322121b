import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { botyard, type Environment, environmentOf, run } from "../support/program.js";
import { accept, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command and a bot's webhook", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;
  let receiver: Receiver;
  let world: World;
  let owner: Environment;

  beforeAll(async () => {
    receiver = await startReceiver();
    // Two attempts, the second soon: what fails twice has failed for good.
    service = await startInProcessService(dataDir, { WEBHOOK_RETRY_SCHEDULE: "50ms" });
    const ownerToken = async (user: string) =>
      (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string;
    world = await makeWorld({ url: service.url, ownerToken });
    owner = { BOTYARD_URL: service.url, BOTYARD_TOKEN: world.ownerToken };
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });

  const command = (...args: string[]) => commandResult(args, owner);
  const answerOf = async (...args: string[]) => JSON.parse((await command(...args, "--json")).stdout);
  const publish = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        ask(service, "POST", `/v1/channels/${world.channelId}/posts`, {
          token: world.ownerToken,
          body: { body: `post ${index}` },
        }),
      ),
    );
  const stats = async () =>
    (await ask(service, "GET", `/v1/bot-api/bots/${world.botId}/stats`, { token: world.ownerToken })).body;
  const hasFailed = (count: number) =>
    eventually("all have failed for good", async () => (await stats()).terminal_failed_updates === count);

  it("sets it, with a secret that is shown once", async () => {
    expect((await command("webhook", "show", world.username)).stdout).toMatch(/^state +not set$/m);
    const set = await command("webhook", "set", world.username, receiver.url, "--generate-secret", "--json");
    const { secret_token: secret, ...webhook } = JSON.parse(set.stdout);
    expect(set).toMatchObject({ code: 0, stderr: "keep the secret safe: it is not shown again\n" });
    expect(webhook).toMatchObject({ url: receiver.url, has_secret_token: true });
    expect(secret).toMatch(/^\S{43}$/);
    await publish(1);
    await eventually("it is delivered", () => receiver.requests.length === 1);
    expect(receiver.requests[0]?.headers["x-service-bot-api-secret-token"]).toBe(secret);
  });

  it("takes a secret from stdin, keeps it, and removes it when asked", async () => {
    const line = 'printf "%s\\n" open-sesame | "$@"';
    const words = [process.execPath, botyard, "webhook", "set", world.username, receiver.url];
    const piped = run("bash", ["-c", line, "bash", ...words, "--secret-token", "-"], owner);
    expect(await piped.exit).toBe(0);
    expect(piped.stdout()).toMatch(/^secret +set$/m);
    expect(piped.stdout()).not.toContain("open-sesame");
    expect((await answerOf("webhook", "set", world.username, receiver.url)).has_secret_token).toBe(true);
    await command("webhook", "test", world.username);
    expect(receiver.requests.at(-1)?.headers["x-service-bot-api-secret-token"]).toBe("open-sesame");
    const removed = await answerOf("webhook", "set", world.username, receiver.url, "--remove-secret");
    expect(removed.has_secret_token).toBe(false);
    const both = await command("webhook", "set", "x", "http://x", "--remove-secret", "--generate-secret");
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be used with") });
  });

  it("tests it, and fails when the receiver does", async () => {
    expect(await command("webhook", "test", world.username)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^delivered +yes\nstatus +200$/m),
    });
    receiver.answerWith(refuse(418));
    expect(await command("webhook", "test", world.username)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^delivered +no\nstatus +418$/m),
      stderr: expect.stringMatching(/^botyard: the receiver did not accept the test event: 418 /),
    });
  });

  it("pauses and resumes it", async () => {
    const paused = await command("webhook", "pause", world.username);
    expect(paused.stdout).toMatch(/^state +paused since 20\S+$/m);
    expect((await answerOf("overview")).items[0]).toMatchObject({ health: "paused" });
    expect((await answerOf("webhook", "resume", world.username)).paused_at).toBeUndefined();
  });

  it("shows what failed, why, and how the bot is doing", async () => {
    receiver.answerWith(refuse(500));
    await publish(3);
    await hasFailed(3);
    const { items } = await answerOf("webhook", "errors", world.username, "--limit", "2");
    expect(items).toHaveLength(2);
    const more = await answerOf("webhook", "errors", world.username, "--before", String(items[1].update_id));
    expect(more.items).toHaveLength(1);
    const table = await command("webhook", "errors", world.username);
    expect(table.stdout).toMatch(/^\d +channel\.post_created +failed +2 .*500 Internal Server Error$/m);
    const byCause = await command("webhook", "errors", world.username, "--by-cause");
    expect(byCause.stdout).toMatch(/^500 Internal Server Error +3 +0 /m);
    expect((await answerOf("overview", world.username)).items).toHaveLength(1);
    const attempts = await answerOf("webhook", "attempts", world.username, "4");
    expect(attempts.items).toMatchObject([{ attempt: 1, status: 500 }, { attempt: 2 }]);

    expect((await command("bot", "stats", world.username)).stdout).toMatch(/^… failed for good +3$/m);
    expect((await command("overview")).stdout).toMatch(new RegExp(`^${world.username} +failing `, "m"));
    const timeline = await answerOf("bot", "timeline", world.username, "--range", "24h");
    expect(timeline).toMatchObject({ range: "24h", interval_seconds: 900 });
    const { stdout } = await command("bot", "timeline", world.username);
    expect(stdout.split("\n")[0]).toMatch(/^start +delivered +retried +failed +p50 ms/);
  });

  it("lists updates by state, and watches new ones", async () => {
    const failed = await answerOf("updates", world.username, "--state", "failed");
    expect(failed.items.map((item: { update_id: number }) => item.update_id)).toEqual([4, 3, 2]);
    const below = await answerOf("updates", world.username, "--before", "3", "--limit", "1");
    expect(below.items).toMatchObject([{ update_id: 2, state: "failed" }]);
    const { stdout } = await command("updates", world.username, "--state", "delivered");
    expect(stdout).toMatch(
      new RegExp(`^1 +20\\S+ +channel\\.post_created +delivered +1 +${world.owner}: post 0$`, "m"),
    );

    const args = ["updates", world.username, "--follow", "--from", "3", "--json"];
    const watching = run(process.execPath, [botyard, ...args], owner);
    await eventually("two are printed", () => watching.stdout().split("\n").length === 3);
    expect(JSON.parse(watching.stdout().split("\n")[0] ?? "")).toMatchObject({ update_id: 3 });
    expect(await watching.stop("SIGINT")).toBe(0);
    expect(await command("updates", world.username, "--from", "3")).toMatchObject({ code: 2 });
  });

  it("lists updates of a kind, and says which kind was meant", async () => {
    const ofKind = (kind: string, ...more: string[]) =>
      command("updates", world.username, "--event-type", kind, ...more);
    for (const kind of ["channel.post_created", "channel.*", "*"]) {
      const { items } = JSON.parse((await ofKind(kind, "--json")).stdout) as { items: unknown[] };
      expect([kind, items.length]).toEqual([kind, 4]);
    }
    for (const kind of ["ticket.*", "custom"]) {
      expect(await ofKind(kind, "--json")).toMatchObject({ code: 0, stdout: expect.stringContaining("[]") });
    }
    for (const typed of ["channel.post_create", "post_created", ""])
      expect(await ofKind(typed)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`no event is of the kind "${typed}": did you mean `),
      });
    expect((await ofKind("channel.post_create")).stderr).toContain("did you mean channel.post_created?");
  });

  it("replays those it is told to, those of a time, or all", async () => {
    expect(await command("webhook", "replay", world.username)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--all, --since 2h or --update 42"),
    });
    expect(
      await command("webhook", "replay", world.username, "--update", "1", "--update", "99999"),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${world.username} has no update 99999`),
    });
    receiver.answerWith(accept);
    const named = await answerOf("webhook", "replay", world.username, "--update", "1", "--update", "2");
    expect(named).toMatchObject({ found: 2, requeued: 1, interrupted: false });
    const none = await answerOf("webhook", "replay", world.username, "--since", "0s");
    expect(none).toMatchObject({ found: 0, requeued: 0 });
    const both = await answerOf("webhook", "replay", world.username, "--since", "1h");
    expect(both).toMatchObject({ found: 2, requeued: 2 });
    await eventually("all are delivered", async () => (await stats()).delivered_updates === 4);
  });

  it("removes it", async () => {
    const removed = await command("webhook", "remove", world.username, "--yes");
    expect(removed.stdout).toMatch(new RegExp(`^${world.username} +deleted$`, "m"));
    expect((await answerOf("webhook", "show", world.username)).url).toBe("");
  });
});
