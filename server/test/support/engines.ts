import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "#botyard/store/sqlite/open.js";
import type { Store } from "#botyard/store/store.js";

/** A place where an engine keeps its data: opened any number of times, one after the other. */
export interface StoreHome {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

interface StoreEngine {
  name: string;
  createHome(): Promise<StoreHome>;
}

/** Every engine there is; each suite that is about the store runs once for each. */
export const storeEngines: StoreEngine[] = [{ name: "sqlite", createHome: createSqliteHome }];

async function createSqliteHome(): Promise<StoreHome> {
  const dataDir = await mkdtemp(join(tmpdir(), "botyard-store-"));
  return {
    open: () => openSqliteStore({ dataDir }),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}
