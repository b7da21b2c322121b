import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployFile } from "../support/deployment.js";
import { eventually } from "../support/eventually.js";
import { isInstalled } from "../support/installed.js";
import { type ServiceProcess, startServiceProcess } from "../support/program.js";
import { exchange } from "../support/raw-http.js";

const configuration = deployFile("nginx.conf");
const NGINX = process.env["NGINX"] ?? "nginx";

it("nginx answers malformed requests itself, without a named location, which needs a URI", () => {
  const [, statuses = "", target = ""] = /error_page ((?:\d{3} )+)= ?(\S+);/.exec(configuration) ?? [];
  expect(statuses).toContain("400");
  expect(target).toMatch(/^\//);
  expect(configuration).toContain(`location = ${target} {`);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** `NGINX` names one that is not on the PATH. */
describe.skipIf(!isInstalled(NGINX, "nginx-light", "-v"))(
  "nginx with this configuration before a service",
  () => {
    let folder: string;
    let service: ServiceProcess;
    let balancer: ReturnType<typeof spawn>;
    let port: number;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "botyard-nginx-"));
      service = await startServiceProcess(join(folder, "data"));
      port = await freePort();
      const { host } = new URL(service.url);
      const here = configuration
        .replaceAll(/botyard-[12]:8080/g, host)
        .replace("listen 8080", `listen 127.0.0.1:${port}`)
        .replace("/dev/stdout", join(folder, "access.log"))
        .replace("/dev/stderr", join(folder, "error.log"));
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join("\n");
      const file = join(folder, "nginx.conf");
      writeFileSync(file, `pid ${join(folder, "pid")};\n${here.replace("http {", `http {\n${temporary}`)}`);
      balancer = spawn(NGINX, ["-c", file, "-p", folder, "-g", "daemon off;"], { stdio: "ignore" });
      await eventually("it answers", async () => (await get("/livez").catch(() => 0)) === 200);
    });
    afterAll(async () => {
      balancer.kill("SIGTERM");
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const get = async (path: string): Promise<number> =>
      (await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).status;

    it.each([
      ["a path that leads out of the root", "/console/../../..", 400],
      ["the shortest of them", "/..", 400],
      ["a NUL", "/%00", 400],
      ["a very long path", `/${"x".repeat(40_000)}`, 400],
      ["the path of its own answer", "/.malformed", 400],
      ["what the service does not know", "/nowhere", 404],
      ["what it knows", "/livez", 200],
    ])("answers %s as the service would", async (_what, path, status) => {
      const answer = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer.status).toBe(status);
      if (status >= 400) expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    });
  },
);
