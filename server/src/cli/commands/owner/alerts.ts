import type { WebhookConfig } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../../input/confirm.js";
import { printRecord, printResult, say } from "../../output/print.js";
import { fieldsOf } from "../webhook/fields.js";
import { addSecretOptions, KEEP_SECRET, type SecretOptions, secretOf } from "../webhook/secret-options.js";
import { addSettings, type SettingsOptions, settingsOf } from "../webhook/settings.js";

/** `botyard owner alerts`: the webhook that is told when webhooks of the owner fail. */
export function addAlerts(owner: Command): void {
  const alerts = owner.command("alerts").description("tell a webhook when your webhooks fail");

  const setting = clientCommand(alerts, "set <webhook-url>")
    .description("send what fails, recovers and is paused to this URL, of all your bots")
    .addHelpText(
      "after",
      "\nExamples:\n  botyard owner alerts set https://ops.example/alerts --generate-secret\n  botyard owner alerts set https://ops.example/audit --event-type alert.audit_entry",
    )
    .action(set);
  addSecretOptions(setting);
  addSettings(setting);

  clientCommand(alerts, "show")
    .description("show where alerts are sent and how the receiver has been answering")
    .addHelpText("after", "\nExample:\n  botyard owner alerts show")
    .action(show);

  confirmedCommand(clientCommand(alerts, "remove"))
    .description("send no alerts any more")
    .addHelpText("after", "\nExample:\n  botyard owner alerts remove --yes")
    .action(remove);
}

async function set(
  url: string,
  options: ClientCommandOptions & SecretOptions & SettingsOptions,
): Promise<void> {
  const secret = await secretOf(options);
  const owner = await ownerOf(options);
  const webhook = await owner.putAlerts({ url, ...secret, ...settingsOf(options) });
  const shown = options.generateSecret ? secret : {};
  printRecord({ ...webhook, ...shown }, options.json, { ...fieldsOf(webhook), ...shown });
  if (options.generateSecret) say(KEEP_SECRET);
}

async function show(options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const webhook: WebhookConfig = await owner.getAlerts();
  printRecord(webhook, options.json, fieldsOf(webhook));
}

async function remove(options: ClientCommandOptions & ConfirmOptions): Promise<void> {
  const owner = await ownerOf(options);
  await confirm("remove the webhook for your alerts, with its secret", options);
  const answer = await owner.deleteAlerts();
  printResult(answer, options.json, [{ status: answer.status }]);
}
