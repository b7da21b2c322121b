import { spawnSync } from "node:child_process";

/**
 * Whether a program that some tests need is on this machine. If it is not, it is printed how to install it: the tests are
 * skipped then.
 *
 * @param debianPackage what has the program on Debian
 */
export function isInstalled(program: string, debianPackage: string, versionOption = "--version"): boolean {
  const isThere = spawnSync(program, [versionOption], { stdio: "ignore" }).status === 0;
  if (!isThere)
    console.log(
      `skipped, as ${program} is not installed: apt-get install --no-install-recommends ${debianPackage}`,
    );
  return isThere;
}
