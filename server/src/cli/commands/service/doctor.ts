import type { Command } from "commander";
import { ConfigError } from "../../../config/config-error.js";
import { type Config, loadClientSettings, loadConfig } from "../../../config.js";
import { type Finding, wrong } from "../../../doctor/finding.js";
import { looksLikeBotToken } from "../../../domain/bots/tokens.js";
import { serviceUrl } from "../../client.js";
import { UsageError } from "../../errors.js";
import { sayEverySecond } from "../../output/progress.js";
import { printable } from "../../output/text.js";

interface CommandOptions {
  url?: string;
  webhook?: string;
  send?: boolean;
  repair?: boolean;
  json?: boolean;
}

/** `botyard doctor`: what is wrong with this installation, and how to mend it. */
export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description(
      "look at configuration, data folder, database, keys and clock; say what is wrong and how to mend it",
    )
    .option("--url <url>", "also the address at which clients reach the service")
    .option("--webhook <url>", "also whether deliveries can reach this URL: name, address, connection, TLS")
    .option("--send", "with --webhook: also send it a test event, without a signature")
    .option("--repair", "make updates due that a fail-over left unsent; on SQLite no service may be running")
    .option("--json", "print the findings as JSON")
    .addHelpText(
      "after",
      `
Run it with the service's environment, as its user and in its folder. It may run beside the service, and changes
nothing without --repair. With --repair, updates that lie below the position of their webhook though nothing came of them are
sent, and the findings say how many.
With --url and a bot's token in BOTYARD_TOKEN it also lets one poll wait, for 30 s. Ends with 1 when something is wrong.

Examples:
  botyard doctor
  botyard doctor --url https://bots.example.com --webhook https://hooks.example.org/botyard`,
    )
    .action(doctor);
}

async function doctor({ url, webhook, send, repair, json }: CommandOptions): Promise<void> {
  if (send && webhook === undefined) throw new UsageError("--send needs --webhook <url>: where to send it");
  const onFinding = json ? () => {} : print;
  const findings = await findingsOf(onFinding, { url, webhook, send, repair });
  if (json) process.stdout.write(`${JSON.stringify({ findings }, undefined, 2)}\n`);
  const count = (result: Finding["result"]) => findings.filter((finding) => finding.result === result).length;
  if (!json) process.stdout.write(`\n${count("wrong")} wrong, ${count("warning")} to look at\n`);
  if (count("wrong") > 0) process.exitCode = 1;
}

async function findingsOf(
  onFinding: (finding: Finding) => void,
  { url, webhook, send, repair }: CommandOptions,
): Promise<Finding[]> {
  const address = url === undefined ? undefined : serviceUrl(url);
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const finding = wrong(
      "configuration",
      error.message,
      "change the setting; botyard serve --help lists all of them",
    );
    onFinding(finding);
    return [finding];
  }
  const { token } = loadClientSettings();
  const botToken = token !== undefined && looksLikeBotToken(token) ? token : undefined;
  // Loaded here, because the other commands don't need it and start faster without it.
  const { examine } = await import("../../../doctor/doctor.js");
  return await examine(config, {
    url: address,
    botToken,
    webhook,
    isSent: send === true,
    isRepaired: repair === true,
    onFinding,
    onProgress: sayEverySecond((updates) => `${updates.toLocaleString("en-US")} unsent updates so far`),
  });
}

function print({ check, result, says, mend }: Finding): void {
  process.stdout.write(`${result.padEnd(9)}${check.padEnd(17)}${printable(says)}\n`);
  if (mend !== undefined) process.stdout.write(`${" ".repeat(26)}→ ${printable(mend)}\n`);
}
