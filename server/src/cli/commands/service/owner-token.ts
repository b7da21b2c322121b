import type { Command } from "commander";
import { loadConfig } from "../../../config.js";
import { write } from "../../output/print.js";
import { signedOwnerToken } from "../../stores/signed-owner-token.js";

interface OwnerTokenOptions {
  user: string;
  ttl: string;
  name?: string;
  json?: boolean;
}

/** `botyard owner-token`: signs a token with the secret that the service on this machine trusts. */
export function addOwnerToken(program: Command): void {
  program
    .command("owner-token")
    .description("create an owner token with the service's own secret; needs no running service")
    .requiredOption("--user <id>", "user id of the owner (claim sub)")
    .option("--ttl <duration>", "how long it is valid: 90s, 15m, 12h, 30d", "30d")
    .option("--name <name>", "name shown as the author of the owner's posts (claim preferred_username)")
    .option("--json", "print token, user and expiry as JSON")
    .addHelpText(
      "after",
      `
Signs with OWNER_JWT_SECRET, or else with the secret the service keeps in DATA_DIR (./data),
so run it with the service's environment and in the folder the service was started in.

Examples:
  botyard owner-token --user alice
  export BOTYARD_TOKEN=$(botyard owner-token --user alice --name "Alice B." --ttl 12h)`,
    )
    .action(async (options: OwnerTokenOptions) => {
      const { token, expiresAt } = await signedOwnerToken(loadConfig(), options);
      const result = { token, user: options.user, expires_at: expiresAt };
      write(options.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${token}\n`);
    });
}
