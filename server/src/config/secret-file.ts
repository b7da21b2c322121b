import { closeSync, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "./config-error.js";

const READ_OR_WRITTEN_BY_ALL = 0o006;
const ENTERED_BY_ALL = 0o001;
/** Where containers get their secrets, readable by all users inside: there the container is the boundary. */
const CONTAINER_SECRETS = ["/run/secrets/", "/var/run/secrets/"];

/**
 * The text of a file that holds a secret, without blanks around it.
 *
 * @param setting the setting that names the file, for the error
 * @param isSecret false for a public key, which everybody may read
 * @throws ConfigError when it cannot be read, is empty, or is open to every user of the machine
 */
export function readSecretFile(setting: string, file: string, isSecret = true): string {
  let text: string;
  let mode: number;
  try {
    ({ text, mode } = read(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${setting} names ${file}, which cannot be read (${code})`, { cause: error });
  }
  if (isSecret && mode & READ_OR_WRITTEN_BY_ALL && !isGuarded(file)) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new ConfigError(
      `${setting} names ${file}, which is open to every user (mode ${shown}): run chmod 600 on it`,
    );
  }
  if (text === "") throw new ConfigError(`${setting} names ${file}, which is empty`);
  return text;
}

/** Whether its folder or the container keeps other users away from the file, whatever its own mode. */
function isGuarded(file: string): boolean {
  if (process.platform === "win32" || CONTAINER_SECRETS.some((folder) => file.startsWith(folder)))
    return true;
  return (statSync(dirname(realpathSync(file))).mode & ENTERED_BY_ALL) === 0;
}

function read(file: string): { text: string; mode: number } {
  const handle = openSync(file, "r");
  try {
    return { mode: fstatSync(handle).mode, text: readFileSync(handle, "utf8").trim() };
  } finally {
    closeSync(handle);
  }
}
