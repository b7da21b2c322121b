import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Finished, run } from "./program.js";

const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/**
 * Packs workspaces as they would be published.
 *
 * @returns the archives, in `folder`
 */
export async function packWorkspaces(workspaces: readonly string[], folder: string): Promise<string[]> {
  const named = workspaces.map((workspace) => `--workspace=${workspace}`);
  const packing = run(npm, ["pack", ...named, "--pack-destination", folder]);
  if ((await packing.exit) !== 0) throw new Error(packing.stderr());
  return (await readdir(folder)).map((file) => join(folder, file));
}

/** As {@link packWorkspaces}, for folders that need not be workspaces, and as they are built now. */
export async function packPackages(folders: readonly string[], target: string): Promise<string[]> {
  const packed = folders.map((folder) => `./${folder}`);
  const packing = run(npm, ["pack", ...packed, "--ignore-scripts", "--pack-destination", target]);
  if ((await packing.exit) !== 0) throw new Error(packing.stderr());
  return (await readdir(target)).map((file) => join(target, file));
}

/** Installs packages into an empty folder. Nothing may be fetched: they need no package but themselves. */
export async function installPackages(folder: string, archives: readonly string[]): Promise<Finished> {
  await writeFile(join(folder, "package.json"), "{}\n");
  // Without the settings of whoever runs the tests, which npm may warn of, and its own news.
  const env = { npm_config_userconfig: "/dev/null", npm_config_update_notifier: "false" };
  const program = run(npm, ["install", "--offline", "--no-audit", "--no-fund", ...archives], env, folder);
  const code = await program.exit;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** The size of everything in a folder. */
export async function folderBytes(folder: string): Promise<number> {
  const paths = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
