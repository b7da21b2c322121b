import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { botyard, type Environment, run } from "../support/program.js";

const FAILED = 250;
const bot = { id: "b1", username: "echo" };

/** A service whose one bot has 250 failed updates: as many would take a real one minutes. */
describe("botyard webhook replay of more than one call can take", () => {
  let server: Server;
  let env: Environment;
  /** The numbers that each call was given. */
  let calls: number[][];
  /** Called for each replay call; may refuse or delay it. */
  let beforeAnswer: (call: number) => { status: number } | Promise<void> | undefined;

  beforeEach(async () => {
    calls = [];
    beforeAnswer = () => undefined;
    server = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://service");
      const send = (body: object, status = 200) =>
        response
          .writeHead(status, { "content-type": "application/json", "retry-after": "0" })
          .end(JSON.stringify(body));
      if (url.pathname.endsWith("/bots")) return send({ items: [bot] });
      if (url.pathname.endsWith("/updates")) return send({ items: page(url.searchParams) });
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      const replay = async () => {
        const { update_ids: ids } = JSON.parse(Buffer.concat(chunks).toString()) as { update_ids: number[] };
        calls.push(ids);
        const refusal = await beforeAnswer(calls.length);
        if (refusal) send({ error: "later" }, refusal.status);
        else send({ bot_id: bot.id, requeued: ids.length, max_window: 100 });
      };
      request.on("end", () => void replay());
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    env = { BOTYARD_URL: `http://127.0.0.1:${port}`, BOTYARD_TOKEN: "owner" };
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const command = ["webhook", "replay", "echo", "--all"];

  it("finds all, and requeues each once, the oldest first", async () => {
    const { code, stdout } = await commandResult([...command, "--json"], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ bot_id: "b1", found: FAILED, requeued: FAILED, interrupted: false });
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(calls.flat()).toEqual(Array.from({ length: FAILED }, (_, index) => index + 1));
  });

  it("waits when the service asks for it", async () => {
    beforeAnswer = (call) => (call === 2 ? { status: 429 } : undefined);
    const { code, stdout } = await commandResult(command, env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^echo +250 +250$/m) });
    expect(calls).toHaveLength(4);
  });

  it("stops after the step in progress on Ctrl-C, and says so", async () => {
    let release = () => {};
    beforeAnswer = (call) =>
      call === 2
        ? new Promise<void>((resolve) => {
            release = resolve;
          })
        : undefined;
    const program = run(process.execPath, [botyard, ...command], env);
    await eventually("the second step is in progress", () => calls.length === 2);
    const ended = program.stop("SIGINT");
    await eventually("it has understood", () => program.stderr().includes("stopping after the step"));
    release();
    expect(await ended).toBe(1);
    expect(program.stdout()).toMatch(/^echo +250 +200$/m);
    expect(program.stderr()).toContain("botyard: interrupted: run the same command again for the rest");
    expect(calls).toHaveLength(2);
  });
});

/** Two waiting for a retry, the others failed for good; newest first, at most 100 on a page. */
function page(query: URLSearchParams): object[] {
  const before = Number(query.get("before") ?? FAILED + 1);
  const all = Array.from({ length: FAILED }, (_, index) => FAILED - index);
  const inState = all.filter((id) => (id % 125 === 0) === (query.get("state") === "scheduled"));
  return inState
    .filter((id) => id < before)
    .slice(0, Number(query.get("limit")))
    .map((id) => ({ update_id: id, created_at: "2026-01-31T12:00:00.000Z" }));
}
