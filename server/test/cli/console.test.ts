import { existsSync } from "node:fs";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { botyard, run, startServiceProcess } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The program of util-linux that runs another one on a pseudo-terminal. */
const hasPseudoTerminals = process.platform === "linux" && existsSync("/usr/bin/script");

describe("botyard console", () => {
  const dataDir = temporaryFolder("cli");

  it("prints a link whose token is valid for an hour", async () => {
    const env = { DATA_DIR: dataDir, BOTYARD_URL: "https://bots.example.com/" };
    const { code, stdout } = await commandResult(["console", "--user", "bob", "--name", "Bob B."], env);
    expect(code).toBe(0);
    const [, token = ""] = /^https:\/\/bots\.example\.com\/console#token=(\S+)\n$/.exec(stdout) ?? [];
    const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
    expect(claims).toEqual({ sub: "bob", preferred_username: "Bob B." });
    expect(exp - iat).toBeGreaterThanOrEqual(3599);
    expect(exp - iat).toBeLessThanOrEqual(3600);
  });

  it("has options for duration, URL and JSON", async () => {
    const args = ["console", "--user", "bob", "--ttl", "15m", "--url", "http://127.0.0.1:9", "--json"];
    const { stdout } = await commandResult(args, { DATA_DIR: dataDir });
    const { link, user, expires_at: expiresAt } = JSON.parse(stdout) as Record<string, string>;
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:9\/console#token=/);
    expect(user).toBe("bob");
    expect(Date.parse(expiresAt ?? "")).toBeLessThanOrEqual(Date.now() + 900_000);
  });

  it.each([
    [{ OWNER_JWKS_URL: "https://id.example/jwks" }, [], "this service trusts OWNER_JWKS_URL"],
    [{}, ["--url", "nowhere"], '"nowhere" is not the address of a service'],
    [{}, ["--ttl", "soon"], "--ttl must be a duration"],
  ])("says why it cannot with %j and %j", async (env, args, message) => {
    const result = await commandResult(["console", "--user", "bob", ...args], { DATA_DIR: dataDir, ...env });
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toContain(message);
  });

  it.skipIf(!hasPseudoTerminals)("prints the link of a start on a terminal", async () => {
    const command = `${process.execPath} ${botyard} serve`;
    const args = ["--quiet", "--return", "--flush", "--command", command, "/dev/null"];
    const service = run("script", args, { DATA_DIR: dataDir, PORT: "0" });
    const [, url = "", token = ""] = await eventually("the link is printed", () =>
      /console +(http:\S+)\/console#token=(\S+)/.exec(service.stdout()),
    );
    const { status } = await fetch(`${url}/v1/bot-api/bots`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(status).toBe(200);
    expect(decodeJwt(token).sub).toBe("alice");
    expect(service.stdout()).toMatch(/^\d\d:\d\d:\d\d info {2}started /m);
    await service.stop();
    await eventually("the service ends with its terminal", () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    );
  });

  it("is not printed at the start where the output is collected", async () => {
    const service = await startServiceProcess(dataDir);
    expect(service.stderr()).toMatch(/console +\S+\/console\n/);
    expect(service.stderr() + service.stdout()).not.toContain("token=");
    await service.stop();
  });
});
