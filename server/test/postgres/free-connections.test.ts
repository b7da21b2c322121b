import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "#botyard/store/postgres/connection/connection.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";

const POOL_SIZE = 10;

let home: StoreHome;
let url: string;
const opened: number[] = [];
const open = (address = url) =>
  openDatabase({
    url: address,
    poolSize: POOL_SIZE,
    onIdleError: () => {},
    onConnect: async () => void opened.push(Date.now()),
  });
let database: ReturnType<typeof open>;

beforeEach(async () => {
  home = await engine.createHome();
  url = home.environment.DATABASE_URL ?? "";
  opened.length = 0;
  database = open();
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

const one = () => database.query<{ one: number }>({ name: "one", text: "SELECT 1 AS one" });
const sleeping = (seconds: number) =>
  database.query({ name: "sleep", text: "SELECT pg_sleep($1)" }, [seconds]);

describe("connections", () => {
  it("are not opened for statements that wait for a moment only", async () => {
    await one();
    const results = await Promise.all(Array.from({ length: 20 }, one));
    expect(results).toEqual(Array.from({ length: 20 }, () => [{ one: 1 }]));
    // The driver's pool opens all at once.
    expect(opened.length).toBeLessThan(POOL_SIZE);
  });

  it("are opened, as many as may be, while others are in use for long", async () => {
    const slow = Array.from({ length: POOL_SIZE - 1 }, () => sleeping(2));
    const first = await Promise.race([
      one().then(() => "one"),
      ...slow.map((task) => task.then(() => "slow")),
    ]);
    expect(first).toBe("one");
    expect(opened).toHaveLength(POOL_SIZE);
    await Promise.all(slow);
  });

  it("serve those who come first when there are no more", async () => {
    const slow = Array.from({ length: POOL_SIZE + 5 }, () => sleeping(0.5));
    const order: string[] = [];
    await Promise.all([
      ...slow.map((task) => task.then(() => order.push("slow"))),
      one().then(() => order.push("one")),
    ]);
    // It takes the connection that is free after those of the five before it.
    expect(order.indexOf("one")).toBeGreaterThanOrEqual(6);
    expect(opened).toHaveLength(POOL_SIZE);
  });

  it("go on being used when the server gives no more", async () => {
    const role = "few_connections";
    await onDatabase(
      url,
      `DROP ROLE IF EXISTS ${role}; CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 2`,
    );
    const address = new URL(url);
    [address.username, address.password] = [role, "x"];
    const few = open(address.href);
    try {
      const nap = () => few.query({ name: "nap", text: "SELECT pg_sleep(0.1)" });
      await Promise.all(Array.from({ length: 30 }, nap));
      expect(opened.length).toBeLessThanOrEqual(2);
    } finally {
      await few.close();
      await onDatabase(url, `DROP ROLE ${role}`);
    }
  });

  it("that cannot be opened fail for all who wait, each after seconds at most", {
    timeout: 20_000,
  }, async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = new URL(url);
    address.port = String((silent.address() as { port: number }).port);
    const lost = open(address.href);
    const startedAt = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 30 }, () =>
        lost.query({ name: "one", text: "SELECT 1" }).catch((error: unknown) => error),
      ),
    );
    expect(failures.every((error) => error instanceof StoreUnavailable)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await lost.close();
    silent.close();
  });
});
