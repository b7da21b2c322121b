import { type Command, Option } from "commander";
import { loadClientSettings, loadConfig } from "../../../config.js";
import { consoleLink } from "../../../process/console-link.js";
import { serviceUrl } from "../../client.js";
import { write } from "../../output/print.js";
import { signedOwnerToken } from "../../stores/signed-owner-token.js";

interface ConsoleOptions {
  user: string;
  ttl: string;
  name?: string;
  url?: string;
  json?: boolean;
}

/** `botyard console`: a link that signs its reader in to the web page of owners. */
export function addConsole(program: Command): void {
  program
    .command("console")
    .description(
      "print a link that signs you in to the console, the web page of owners; needs no running service",
    )
    .requiredOption("--user <id>", "user id of the owner (claim sub)")
    .option("--ttl <duration>", "how long the link and the session are valid: 15m, 1h, 12h", "1h")
    .option("--name <name>", "name shown as the author of the owner's posts (claim preferred_username)")
    .addOption(
      new Option("--url <url>", "address of the service (else BOTYARD_URL, else http://127.0.0.1:8080)"),
    )
    .option("--json", "print link, user and expiry as JSON")
    .addHelpText(
      "after",
      `
Whoever has the link is that owner until it expires. Browsers do not send the part after the # to any server, and the
page removes it from the address at once.
Signs as botyard owner-token does, so run it with the service's environment and in the folder it was started in.

Examples:
  botyard console --user alice
  botyard console --user alice --ttl 12h --url https://bots.example.com`,
    )
    .action(async (options: ConsoleOptions) => {
      const url = serviceUrl(options.url ?? loadClientSettings().url);
      const { token, expiresAt } = await signedOwnerToken(loadConfig(), options);
      const link = consoleLink(url, token);
      const result = { link, user: options.user, expires_at: expiresAt };
      write(options.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${link}\n`);
    });
}
