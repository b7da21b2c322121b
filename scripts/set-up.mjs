import { buildIfNeeded } from "./build-workspaces.mjs";
import { installIfNeeded } from "./install.mjs";
import { checkNodeVersion } from "./node-version.mjs";

/**
 * Brings a clone, fresh or pulled, into a state in which the service can run. Costs next to nothing when it is in it.
 *
 * @param {{ withTools?: boolean }} [options] whether the tools of tests and checks are needed too
 */
export async function setUp(options) {
  checkNodeVersion();
  await installIfNeeded(options);
  await buildIfNeeded();
}
