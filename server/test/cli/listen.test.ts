import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { verifyWebhook } from "@botyard/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { interrupt, linesOf, useFollowedBot } from "../support/followed-bot.js";
import type { Program } from "../support/program.js";
import { accept, type Receiver, refuse, startReceiver } from "../support/receiver.js";

const under = useFollowedBot("listen");
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

describe("listen", () => {
  /** The first run begins with the next update, so the updates of a test come when it is ready. */
  const listen = async (...args: string[]) => {
    const program = under.start("listen", "--forward-to", receiver.url, ...args);
    await eventually("it is ready", () => program.stderr().includes("(Ctrl-C ends)"));
    return program;
  };

  it("forwards each update, signed, and says what came of it", async () => {
    const program = await listen("--secret-token", "open-sesame");
    await under.publish("Grüße");
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
    await under.publish("one");
    await under.publish("two");
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

    await under.publish("three");
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

    const file = join(under.home, ".botyard/positions", `listen-${under.world.botId}.json`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ offset: 0, secret_token: secret });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await listen();
    expect(second.stderr()).toContain(`signing with the secret_token in ${file}\n`);
    expect(second.stderr()).not.toContain(secret as string);
    await under.publish("one");
    await eventually("it is signed with the same", () => receiver.requests.length === 1);
    expect(receiver.requests[0]?.headers["x-service-bot-api-secret-token"]).toBe(secret);
    await interrupt(second);
  });

  it("is refused beside another of the same bot, which holds the position file until it ends", async () => {
    const first = await listen();
    const args = ["listen", "--forward-to", receiver.url];
    expect(await commandResult(args, under.env)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        `botyard listen of ${under.world.username} is running already, as process ${first.child.pid}: end that one first`,
      ),
    });
    await first.stop("SIGKILL");
    await interrupt(await listen());
  });

  it("names a position file that is damaged", async () => {
    const file = join(under.home, ".botyard/positions", `listen-${under.world.botId}.json`);
    mkdirSync(dirname(file), { recursive: true });
    const whole = { bot_id: under.world.botId, offset: 0, handled: [] };
    for (const [text, message] of [
      ["{", `${file} does not contain a position: repair it, or delete it`],
      [{ ...whole, offset: -5 }, `${file} does not contain a whole position: repair it, or delete it`],
      [{ ...whole, bot_id: "other" }, `${file} has the position of another bot, other: move it away`],
      [{ ...whole, secret_token: 7 }, `the secret_token in ${file} is damaged: repair it, or delete`],
    ] as const) {
      writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
      const result = await commandResult(["listen", "--forward-to", receiver.url], under.env);
      expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
    }
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });

  it.runIf(process.platform === "linux")("needs a home that it can write to", async () => {
    const elsewhere = { ...under.env, HOME: "/proc/nobody" };
    const { code, stderr } = await commandResult(["listen", "--forward-to", receiver.url], elsewhere);
    expect(code).toBe(1);
    expect(stderr).toMatch(/position file .*: no folder can be made in \/proc .* Set HOME to a folder/);
  });

  it("gives up what failed with --no-retry", async () => {
    receiver.answerWith(refuse(404));
    const program = await listen("--no-retry");
    for (const body of ["one", "two"]) await under.publish(body);
    await eventually("both have failed", () => linesOf(program).length === 2);
    expect(linesOf(program)[1]).toMatch(/^✗ #2 .*404 Not Found.*, given up$/);
    await interrupt(program);
  });

  it("says when nothing listens", async () => {
    const { url } = receiver;
    await receiver.close();
    const program = under.start("listen", "--forward-to", url, "--no-retry", "--from", "start");
    await under.publish("one");
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
    const result = await commandResult(["listen", ...args], under.env);
    expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
  });
});
