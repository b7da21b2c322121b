import { join, resolve } from "node:path";
import type { Config } from "../config.js";

const DEFAULT_URL = "http://127.0.0.1:8080";

/**
 * The message for people when the service has started: its addresses and files, and the next command.
 *
 * @param url where clients reach the service
 * @param consoleLink signs its reader in to the console, for an hour; left out when there is none
 */
export function welcome(config: Config, url: string, version: string, consoleLink?: string): string {
  const lines = [
    ["address", url],
    ["console", consoleLink ?? `${url}/console`],
    ...(consoleLink
      ? [
          [
            "",
            `(signs you in as alice, for an hour; later: ${dataDirPrefix(config.dataDir)}npx botyard console --user alice)`,
          ],
        ]
      : []),
    ["API docs", `${url}/docs`],
    ...(config.database ? [["database", `PostgreSQL, ${config.database.name}`]] : []),
    ["data", config.dataDir],
    ...keyLines(config),
    ["owner token", ownerTokenLine(config)],
    ...(url === DEFAULT_URL ? [] : [["for botyard", `export BOTYARD_URL=${url}`]]),
    ["next", "step 2 of the quick start: https://github.com/botyard/botyard#quick-start"],
  ];
  const table = lines.map(([name = "", text = ""]) => `  ${name.padEnd(13)}${text}`);
  return ["", `Botyard ${version} is running. Ctrl-C stops it.`, "", ...table, "", ""].join("\n");
}

function keyLines(config: Config): string[][] {
  const files = [
    ...(config.ownerTokens.trust ? [] : [`${join(config.dataDir, "owner-jwt.secret")} (signs owner tokens)`]),
    ...(config.secretKeys ? [] : [`${join(config.dataDir, "secret.key")} (encrypts webhook secrets)`]),
  ];
  return files.map((text, index) => [index === 0 ? "keys" : "", text]);
}

function ownerTokenLine({ dataDir, ownerTokens: { trust } }: Config): string {
  switch (trust?.kind) {
    case undefined:
      return `${dataDirPrefix(dataDir)}npx botyard owner-token --user alice`;
    case "secret":
      return "npx botyard owner-token --user alice   # with the same OWNER_JWT_SECRET";
    case "publicKey":
      return "from your identity provider; verified with OWNER_JWT_PUBLIC_KEY";
    case "jwks":
      return `from your identity provider; verified with the keys at ${trust.url.host}`;
  }
}

/** The command needs `DATA_DIR` to find the keys, unless the folder is the default one. */
function dataDirPrefix(dataDir: string): string {
  return dataDir === resolve("data") ? "" : `DATA_DIR=${shellWord(dataDir)} `;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
