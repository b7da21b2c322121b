import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { botyardResult, startServiceProcess } from "../support/program.js";
import { type Pooler, type PoolMode, startPooler } from "../support/transaction-pooler.js";

describe("a service whose database is behind a pooler", () => {
  let home: StoreHome;
  let pooler: Pooler;

  beforeEach(async () => {
    home = await engine.createHome();
    await (await home.open()).close();
  });
  afterEach(async () => {
    await pooler.close();
    await home.remove();
  });

  const environment = async (mode: PoolMode, connections?: number) => {
    const url = new URL(home.environment.DATABASE_URL ?? "");
    pooler = await startPooler(url.href, mode, connections);
    url.port = String(pooler.port);
    return { DATA_DIR: home.dataDir, DATABASE_URL: url.href, PORT: "0" };
  };

  it.each([1, 2, 20])(
    "refuses to start when that lends %i connections for a transaction, and says what to do",
    async (connections) => {
      const { code, stderr } = await botyardResult(["serve"], await environment("transaction", connections));
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          "botyard cannot start: DATABASE_URL leads through a pooler that shares connections between transactions: let it pool sessions (PgBouncer: pool_mode = session), or connect to PostgreSQL directly\n",
      });
    },
  );

  it("serves when the pooler pools sessions", async () => {
    const service = await startServiceProcess(home.dataDir, await environment("session"));
    expect((await ask(service, "GET", "/readyz")).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
