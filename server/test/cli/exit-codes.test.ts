import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { botyardResult, type Environment, environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command ends with", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;
  let alice: Environment;

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
    alice = await environmentOf("alice", service, dataDir);
  });

  afterAll(() => service.stop());

  it("1 when the service refuses, in its words", async () => {
    const result = await commandResult(["channel", "create", "--slug", "No Spaces", "--title", "x"], alice);
    expect(result).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^botyard: the service said 400: slug/),
    });
  });

  it("1 when the token is invalid", async () => {
    const result = await commandResult(["bot", "list"], { ...alice, BOTYARD_TOKEN: "nonsense" });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("the service said 401: ") });
  });

  it("1 when there is no such bot or channel", async () => {
    expect(await commandResult(["bot", "disable", "nobody"], alice)).toMatchObject({ code: 1 });
    expect(await commandResult(["post", "--channel", "nowhere", "--body", "x"], alice)).toMatchObject({
      code: 1,
    });
  });

  it("1 when something else answers at that address", async () => {
    const other = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const result = await commandResult(["bot", "list", "--url", url], alice);
    other.close();
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is that a Botyard service\?.* BOTYARD_URL \(or --url\) must be/),
    });
  });

  it.each([
    ["an unknown command", ["frobnicate"]],
    ["a missing option", ["channel", "create", "--slug", "x"]],
    ["a missing argument", ["bot", "disable"]],
    ["an unknown option", ["bot", "list", "--loud"]],
    ["an invalid URL", ["bot", "list", "--url", "localhost"]],
  ])("2 for %s", async (_, args) => {
    const { code, stdout, stderr } = await commandResult(args, alice);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });

  it.each([
    ["an option before the command", ["--json", "bot", "list"], "as in botyard bot list --json"],
    ["one before a command that there is not", ["bot", "--yes", "drop"], "as in botyard bot <command> --yes"],
    ["an empty name of a bot", ["bot", "show", ""], "the name of the bot is empty"],
    ["an empty name of a channel", ["channel", "posts", " "], "the name of the channel is empty"],
  ])("2 for %s, and says how to mend it", async (_, args, message) => {
    const { code, stdout, stderr } = await commandResult(args, alice);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it.each(["/console", "/v1", "/docs/"])(
    "1 for the address of the page %s, which it blames",
    async (path) => {
      const result = await commandResult(["bot", "list"], { ...alice, BOTYARD_URL: service.url + path });
      expect(result).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("BOTYARD_URL (or --url) must be the address of a Botyard service"),
      });
    },
  );

  it("1 for a 404 of the service, without blaming the address", async () => {
    const { stderr } = await commandResult(["webhook", "show", "nobody"], alice);
    expect(stderr).not.toContain("BOTYARD_URL");
  });

  it("2 for a malformed token", async () => {
    const result = await commandResult(["bot", "list"], { ...alice, BOTYARD_TOKEN: "two words" });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("no token has") });
  });

  it("2 without a token, and says how to get one", async () => {
    const result = await commandResult(["bot", "list"], { BOTYARD_URL: service.url });
    expect(result).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("npx botyard owner-token --user alice"),
    });
  });

  it("2 for a configuration that cannot be used", async () => {
    const result = await commandResult(["owner-token", "--user", "alice"], { OWNER_JWT_SECRET: "short" });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("OWNER_JWT_SECRET must be") });
  });

  it("3 when nothing answers", async () => {
    const result = await commandResult(["bot", "list"], { ...alice, BOTYARD_URL: "http://127.0.0.1:1" });
    expect(result).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("no answer from http://127.0.0.1:1"),
    });
  });

  it.each([
    [0, ["bot", "list"], {}],
    [1, ["bot", "disable", "nobody"], {}],
    [1, ["doctor", "--json"], { PORT: "http" }],
    [2, ["frobnicate"], {}],
    [3, ["bot", "list"], { BOTYARD_URL: "http://127.0.0.1:1" }],
  ])("%i as a process, for %j with %j", async (code, args, env) => {
    expect((await botyardResult(args, { ...alice, ...env })).code).toBe(code);
  });
});
