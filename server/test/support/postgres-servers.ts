import type { TestProject } from "vitest/node";
import { startInstalledServer } from "./installed-postgres.js";
import { createPostgresServer, UNSYNCED } from "./postgres-server.js";
import { makeTemplate } from "./postgres-template.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the tests' own PostgreSQL, without the name of a database. */
    postgresUrl: string;
    /** The URL of the machine's own PostgreSQL; empty without one. */
    installedPostgresUrl: string;
    /** The definitions of the template on each of them, by its URL. */
    templates: Record<string, string>;
  }
}

/** Runs real PostgreSQL servers on free loopback ports during the tests, unless no test of this run asks for one. */
export default async function startPostgresServers(project: TestProject): Promise<() => Promise<void>> {
  if (process.env["BOTYARD_TEST_WITHOUT_POSTGRES"] === "true") return async () => {};
  const server = await createPostgresServer(UNSYNCED);
  await server.start();
  const installed = await startInstalledServer();
  const templates: Record<string, string> = {};
  for (const url of [server.url, ...(installed ? [installed.url] : [])])
    templates[url] = await makeTemplate(url);
  project.provide("postgresUrl", server.url);
  project.provide("installedPostgresUrl", installed?.url ?? "");
  project.provide("templates", templates);
  return async () => {
    await installed?.remove();
    await server.remove();
  };
}
