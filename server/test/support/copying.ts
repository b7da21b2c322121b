import { randomBytes } from "node:crypto";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { type CopyOptions, type CopySummary, copyStore } from "#botyard/store/copy/copy.js";
import { type Location, openSource, openTarget } from "#botyard/store/copy/open.js";
import type { StoreHome } from "./engines.js";

/** The location of a home's data, as an argument of a copy. */
export function locationOf({ dataDir, environment }: StoreHome): Location {
  const url = environment.DATABASE_URL;
  return url ? { engine: "postgres", url } : { engine: "sqlite", dataDir };
}

/** Opens both, copies and closes both. */
export async function copyHome(
  from: StoreHome,
  to: StoreHome,
  options: Partial<CopyOptions> = {},
): Promise<CopySummary> {
  const box = createSecretBox([randomBytes(32)]);
  const source = await openSource(locationOf(from));
  try {
    const target = await openTarget(locationOf(to));
    try {
      return await copyStore({ from: source, to: target, secrets: { source: box, target: box }, ...options });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
