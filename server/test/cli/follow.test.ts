import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { verifyWebhook } from "@botyard/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { botyard, type Environment, environmentOf, type Program, run } from "../support/program.js";
import { accept, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("a command that follows a bot's log", () => {
  const dataDir = temporaryFolder("follow");
  let home: string;
  let service: InProcessService;
  let world: World;
  let env: Environment;
  let receiver: Receiver;
  const programs: Program[] = [];

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "botyard-home-"));
    receiver = await startReceiver();
    const ownerToken = async (user: string) =>
      (await environmentOf(user, service, dataDir)).BOTYARD_TOKEN as string;
    world = await makeWorld({ url: service.url, ownerToken });
    env = { BOTYARD_URL: service.url, BOTYARD_TOKEN: world.botToken, HOME: home };
  });
  afterEach(async () => {
    for (const program of programs.splice(0)) await program.stop("SIGKILL");
    await receiver.close();
    rmSync(home, { recursive: true });
  });

  const start = (...args: string[]) => {
    const program = run(process.execPath, [botyard, ...args], env);
    programs.push(program);
    return program;
  };
  const interrupt = (program: Program) => program.stop("SIGINT");
  const publish = (body: string) =>
    ask(service, "POST", `/v1/channels/${world.channelId}/posts`, {
      token: world.ownerToken,
      body: { body },
    });
  const linesOf = (program: Program) => program.stdout().split("\n").slice(0, -1);

  describe("tail", () => {
    it("prints updates as they are recorded, and in the next run those since", async () => {
      await publish("before");
      const first = start("tail");
      await eventually("the post before is printed", () => linesOf(first).length === 1);
      await publish("one\ntwo\u{1B}[2J");
      await eventually("the one after too", () => linesOf(first).length === 2);
      expect(linesOf(first)).toEqual([
        expect.stringMatching(
          new RegExp(`^20\\S+Z {2}#1 {2}channel.post_created {2}${world.owner}: before$`),
        ),
        expect.stringContaining(`${world.owner}: one\u{FFFD}two\u{FFFD}[2J`),
      ]);
      expect(first.stderr()).toBe(`${world.username}: beginning with the oldest update (Ctrl-C ends)\n`);
      expect(await interrupt(first)).toBe(0);

      await publish("since");
      const second = start("tail", "--json");
      await eventually("only the new one is printed", () => linesOf(second).length === 1);
      expect(second.stderr()).toContain("going on after update 2");
      expect(JSON.parse(linesOf(second)[0] as string)).toMatchObject({
        update_id: 3,
        payload: { body: "since" },
      });
      await interrupt(second);

      const again = start("tail", "--json", "--from", "2");
      await eventually("those after the first are printed", () => linesOf(again).length === 2);
      expect(await interrupt(again)).toBe(0);
    });

    it("begins where it is told", async () => {
      for (const body of ["one", "two", "three"]) await publish(body);
      const fromTwo = start("tail", "--from", "2");
      await eventually("the second and the third are printed", () => linesOf(fromTwo).length === 2);
      expect(fromTwo.stderr()).toContain("beginning after update 1");
      await interrupt(fromTwo);

      const fromNow = start("tail", "--from", "now");
      await eventually("it is ready", () => fromNow.stderr().includes("beginning after update 3"));
      await publish("four");
      await eventually("the next one is printed", () => linesOf(fromNow).length === 1);
      await interrupt(fromNow);

      const fromStart = start("tail", "--from", "start");
      await eventually("all are printed", () => linesOf(fromStart).length === 4);
      await interrupt(fromStart);
    });

    it("prints the log in its order, whatever the channels", async () => {
      const asOwner = { token: world.ownerToken };
      const made = await ask(service, "POST", "/v1/channels", {
        ...asOwner,
        body: { slug: `other-${world.botId}`, title: "Other" },
      });
      expect(made.status).toBe(201);
      const path = `/v1/bot-api/bots/${world.botId}/channels/${made.body.id}`;
      expect((await ask(service, "POST", path, asOwner)).status).toBe(200);
      for (let i = 0; i < 4; i++) {
        await publish(`here ${i}`);
        await publish(`here again ${i}`);
        const posts = `/v1/channels/${made.body.id}/posts`;
        await ask(service, "POST", posts, { ...asOwner, body: { body: `there ${i}` } });
      }
      const all = start("tail", "--from", "start", "--json");
      await eventually("all are printed", () => linesOf(all).length === 12);
      const numbers = linesOf(all).map((line) => JSON.parse(line).update_id);
      expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
      await interrupt(all);
    });

    it("reads along where another keeps the position", async () => {
      const first = start("tail");
      await eventually("it is ready", () => first.stderr().includes("(Ctrl-C ends)"));
      const second = start("tail", "--json");
      await eventually("the other too", () => second.stderr().includes("(Ctrl-C ends)"));
      expect(second.stderr()).toContain("this one reads along and keeps no position");
      await publish("one");
      await eventually("both print it", () => linesOf(first).length + linesOf(second).length === 2);
      await interrupt(second);
      await interrupt(first);
    });

    it("ends when nobody reads it any more, on Linux without another update", async () => {
      await publish("one");
      await publish("two");
      const piped = run("bash", ["-c", `"${process.execPath}" "${botyard}" tail | head -1`], env);
      programs.push(piped);
      let isOver = false;
      void piped.exit.then(() => {
        isOver = true;
      });
      await eventually("it has ended", async () => {
        if (process.platform !== "linux") await publish("more");
        return isOver;
      });
      expect(await piped.exit).toBe(0);
      expect(linesOf(piped)).toEqual([expect.stringContaining("one")]);
      expect(piped.stderr()).toBe(`${world.username}: beginning with the oldest update (Ctrl-C ends)\n`);
    });
  });

  describe("listen", () => {
    /** The first run begins with the next update, so the updates of a test come when it is ready. */
    const listen = async (...args: string[]) => {
      const program = start("listen", "--forward-to", receiver.url, ...args);
      await eventually("it is ready", () => program.stderr().includes("(Ctrl-C ends)"));
      return program;
    };

    it("forwards each update, signed, and says what came of it", async () => {
      const program = await listen("--secret-token", "open-sesame");
      await publish("Grüße");
      await eventually("it is printed", () => linesOf(program).length === 1);
      expect(linesOf(program)[0]).toMatch(/^✓ #1 {2}channel\.post_created {2}200 OK {2}\d+ ms$/);
      const [request] = receiver.requests;
      const { headers, body: rawBody, path } = request as (typeof receiver.requests)[number];
      expect(path).toBe("/hook");
      expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "botyard-listen" });
      expect(await verifyWebhook({ secret: "open-sesame", headers, rawBody })).toMatchObject({
        update_id: 1,
        payload: { body: "Grüße" },
      });
      expect(await interrupt(program)).toBe(0);
    });

    it("retries failed updates, and continues after them in the next run", async () => {
      receiver.answerWith(refuse(500));
      const program = await listen();
      await publish("one");
      await publish("two");
      await eventually("it has failed", () => linesOf(program).length > 0);
      expect(linesOf(program)[0]).toMatch(
        /^✗ #1 {2}channel\.post_created {2}500 Internal Server Error {2}\d+ ms, will be repeated$/,
      );
      const [, secret] = /signing with secret_token (\S+)/.exec(program.stderr()) ?? [];
      expect(receiver.requests[0]?.headers["x-service-bot-api-secret-token"]).toBe(secret);
      receiver.answerWith(accept);
      await eventually(
        "both are accepted",
        () => linesOf(program).filter((line) => line.startsWith("✓")).length === 2,
      );
      await interrupt(program);

      await publish("three");
      const next = await listen("--json");
      await eventually("the new one is forwarded", () => linesOf(next).length === 1);
      expect(JSON.parse(linesOf(next)[0] as string)).toMatchObject({
        update_id: 3,
        ok: true,
        status: "200 OK",
      });
      await interrupt(next);
    });

    it("keeps its secret, where only its user can read it", async () => {
      const secretOf = (program: Program) => /signing with secret_token (\S+)/.exec(program.stderr())?.[1];
      const first = await listen();
      const secret = secretOf(first);
      expect(secret).toMatch(/^\S{32}$/);
      await interrupt(first);

      const file = join(home, ".botyard/positions", `listen-${world.botId}.json`);
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ offset: 0, secret_token: secret });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const second = await listen();
      expect(second.stderr()).toContain(`signing with the secret_token in ${file}\n`);
      expect(second.stderr()).not.toContain(secret as string);
      await publish("one");
      await eventually("it is signed with the same", () => receiver.requests.length === 1);
      expect(receiver.requests[0]?.headers["x-service-bot-api-secret-token"]).toBe(secret);
      await interrupt(second);
    });

    it("is refused beside another of the same bot, which holds the position file until it ends", async () => {
      const first = await listen();
      const args = ["listen", "--forward-to", receiver.url];
      expect(await commandResult(args, env)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining(
          `botyard listen of ${world.username} is running already, as process ${first.child.pid}: end that one first`,
        ),
      });
      await first.stop("SIGKILL");
      await interrupt(await listen());
    });

    it("names a position file that is damaged", async () => {
      const file = join(home, ".botyard/positions", `listen-${world.botId}.json`);
      mkdirSync(dirname(file), { recursive: true });
      const whole = { bot_id: world.botId, offset: 0, handled: [] };
      for (const [text, message] of [
        ["{", `${file} does not contain a position: repair it, or delete it`],
        [{ ...whole, offset: -5 }, `${file} does not contain a whole position: repair it, or delete it`],
        [{ ...whole, bot_id: "other" }, `${file} has the position of another bot, other: move it away`],
        [{ ...whole, secret_token: 7 }, `the secret_token in ${file} is damaged: repair it, or delete`],
      ] as const) {
        writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
        const result = await commandResult(["listen", "--forward-to", receiver.url], env);
        expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
      }
      expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    });

    it.runIf(process.platform === "linux")("needs a home that it can write to", async () => {
      const elsewhere = { ...env, HOME: "/proc/nobody" };
      const { code, stderr } = await commandResult(["listen", "--forward-to", receiver.url], elsewhere);
      expect(code).toBe(1);
      expect(stderr).toMatch(/position file .*: no folder can be made in \/proc .* Set HOME to a folder/);
    });

    it("gives up what failed with --no-retry", async () => {
      receiver.answerWith(refuse(404));
      const program = await listen("--no-retry");
      for (const body of ["one", "two"]) await publish(body);
      await eventually("both have failed", () => linesOf(program).length === 2);
      expect(linesOf(program)[1]).toMatch(/^✗ #2 .*404 Not Found.*, given up$/);
      await interrupt(program);
    });

    it("says when nothing listens", async () => {
      const { url } = receiver;
      await receiver.close();
      const program = start("listen", "--forward-to", url, "--no-retry", "--from", "start");
      await publish("one");
      await eventually("it has failed", () => linesOf(program).length === 1);
      expect(linesOf(program)[0]).toContain("connection refused");
      await interrupt(program);
      receiver = await startReceiver();
    });

    it.each([
      ["a receiver's address that is none", ["--forward-to", "localhost:3000"], "--forward-to must be"],
      ["no receiver's address", [], "--forward-to"],
      ["a secret that cannot be one", ["--forward-to", "http://x", "--secret-token", "a b"], "visible ASCII"],
      ["a start that is no number", ["--forward-to", "http://x", "--from", "last"], "--from must be"],
    ])("refuses %s", async (_, args, message) => {
      const result = await commandResult(["listen", ...args], env);
      expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    });
  });

  it("ends with 2 for an owner's token, 1 for a refused bot token, 3 when nothing answers", async () => {
    const with_ = (changes: Environment) => commandResult(["tail"], { ...env, ...changes });
    expect(await with_({ BOTYARD_TOKEN: world.ownerToken })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs the token of a bot"),
    });
    expect(await with_({ BOTYARD_TOKEN: `bot_${"x".repeat(43)}` })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the service said 401"),
    });
    const gone = await startReceiver();
    await gone.close();
    expect(await with_({ BOTYARD_URL: new URL(gone.url).origin })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("is the service running"),
    });
  });
});
