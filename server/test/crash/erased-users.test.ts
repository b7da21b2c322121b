import { afterEach, beforeEach, expect, it } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";
import { tablesWith } from "../support/leftovers.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { connectSql } from "../support/stored-rows.js";

const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";
/** Enough that the walk over them takes many steps. */
const BATCHES = 12;
const POSTS_PER_BATCH = 1_000;
const KILLS = 3;

let home: StoreHome;
let service: ServiceProcess;
const start = async (): Promise<void> => {
  service = await startServiceProcess(home.dataDir, {
    ...home.environment,
    PLATFORM_TOKEN,
    LOG_LEVEL: "warn",
  });
};
beforeEach(async () => {
  home = await engine.createHome();
  await start();
});
afterEach(async () => {
  await service.stop("SIGKILL");
  await home.remove();
});

async function call(token: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as { id: string; status: string } };
}

it("a service that is killed while it erases a user goes on after each start", {
  timeout: 120_000,
}, async () => {
  const alice = (await environmentOf("alice", service, home.dataDir))["BOTYARD_TOKEN"] ?? "";
  const { body: room } = await call(alice, "POST", "/v1/channels", { slug: "room", title: "Room" });
  const post = (id: string, body: string) => ({
    channel_id: room.id,
    body,
    author: { id, username: `name of ${id}` },
  });
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const posts = Array.from({ length: POSTS_PER_BATCH }, (_, n) =>
      n % 2 ? post("zoe-7f3a", "of zoe-7f3a") : post("ada", "of Ada"),
    );
    expect((await call(alice, "POST", "/v1/posts/batch", { posts })).status).toBe(200);
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const erased = call(PLATFORM_TOKEN, "DELETE", "/v1/platform/users/zoe-7f3a").catch(() => undefined);
    // Somewhere in the walk, which takes a second or two.
    await new Promise((resolve) => setTimeout(resolve, 700));
    await service.stop("SIGKILL");
    await erased;
    await start();
  }
  for (;;) {
    const { status, body } = await call(PLATFORM_TOKEN, "DELETE", "/v1/platform/users/zoe-7f3a");
    expect(status).toBe(200);
    if (body.status === "deleted") break;
  }
  await service.stop("SIGTERM");
  const sql = await connectSql(home);
  // That she was erased, and that she will be looked for once more.
  expect((await tablesWith(sql, ["zoe-7f3a"])).toSorted()).toEqual(["audit", "erased_users"]);
  const [row] = (await sql.run("SELECT count(*) AS count FROM events WHERE payload LIKE '%of Ada%'")) as {
    count: number;
  }[];
  expect(Number(row?.count)).toBe((BATCHES * POSTS_PER_BATCH) / 2);
  await sql.close();
});
