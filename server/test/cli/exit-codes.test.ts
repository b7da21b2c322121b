import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  botyardResult,
  type Environment,
  environmentOf,
  type ServiceProcess,
  startServiceProcess,
} from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command ends with", () => {
  const dataDir = temporaryFolder("cli");
  let service: ServiceProcess;
  let alice: Environment;

  beforeAll(async () => {
    service = await startServiceProcess(dataDir);
    alice = await environmentOf("alice", service, dataDir);
  });

  afterAll(() => service.stop());

  it("1 when the service refuses, in its words", async () => {
    const result = await botyardResult(["channel", "create", "--slug", "No Spaces", "--title", "x"], alice);
    expect(result).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^botyard: the service said 400: slug/),
    });
  });

  it("1 when the token is invalid", async () => {
    const result = await botyardResult(["bot", "list"], { ...alice, BOTYARD_TOKEN: "nonsense" });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("the service said 401: ") });
  });

  it("1 when there is no such bot or channel", async () => {
    expect(await botyardResult(["bot", "disable", "nobody"], alice)).toMatchObject({ code: 1 });
    expect(await botyardResult(["post", "--channel", "nowhere", "--body", "x"], alice)).toMatchObject({
      code: 1,
    });
  });

  it("1 when something else answers at that address", async () => {
    const other = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const result = await botyardResult(["bot", "list", "--url", url], alice);
    other.close();
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is that a Botyard service?"),
    });
  });

  it.each([
    ["an unknown command", ["frobnicate"]],
    ["a missing option", ["channel", "create", "--slug", "x"]],
    ["a missing argument", ["bot", "disable"]],
    ["an unknown option", ["bot", "list", "--loud"]],
    ["an invalid URL", ["bot", "list", "--url", "localhost"]],
  ])("2 for %s", async (_, args) => {
    const { code, stdout, stderr } = await botyardResult(args, alice);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });

  it("2 for a malformed token", async () => {
    const result = await botyardResult(["bot", "list"], { ...alice, BOTYARD_TOKEN: "two words" });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("no token has") });
  });

  it("2 without a token, and says how to get one", async () => {
    const result = await botyardResult(["bot", "list"], { BOTYARD_URL: service.url });
    expect(result).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("npx botyard owner-token --user alice"),
    });
  });

  it("2 for a configuration that cannot be used", async () => {
    const result = await botyardResult(["owner-token", "--user", "alice"], { OWNER_JWT_SECRET: "short" });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("OWNER_JWT_SECRET must be") });
  });

  it("3 when nothing answers", async () => {
    const result = await botyardResult(["bot", "list"], { ...alice, BOTYARD_URL: "http://127.0.0.1:1" });
    expect(result).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("no answer from http://127.0.0.1:1"),
    });
  });
});
