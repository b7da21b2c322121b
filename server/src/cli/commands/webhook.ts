import type { WebhookConfig } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../input/confirm.js";
import { findBot } from "../input/find.js";
import { printRecord, printResult, say } from "../output/print.js";
import { printAnswer } from "./webhook/answer.js";
import { addWebhookErrors } from "./webhook/errors.js";
import { fieldsOf, stateOf } from "./webhook/fields.js";
import { type NamedWebhookOptions, namedBy, webhookCommand } from "./webhook/named.js";
import { addReplay } from "./webhook/replay.js";
import { addSecret } from "./webhook/secret.js";
import { addSecretOptions, KEEP_SECRET, type SecretOptions, secretOf } from "./webhook/secret-options.js";
import { addSendAgain } from "./webhook/send-again.js";
import { addSettings, type SettingsOptions, settingsOf } from "./webhook/settings.js";
import { addSkip } from "./webhook/skip.js";

/** `botyard webhook`: where a bot's updates are sent, and how deliveries go. */
export function addWebhook(program: Command): void {
  const webhook = program.command("webhook").description("set, test, watch and repair a bot's webhooks");

  const setting = webhookCommand(webhook, "set <bot> <webhook-url>")
    .description("send a bot's updates to this URL, beginning with those it has not received")
    .option(
      "--deliver-from <where>",
      "at a new URL: backlog, now, the number of an update, or consumer:NAME (else what no consumer has handled; of a new --name, now)",
    )
    .addHelpText(
      "after",
      `
A secret and headers that are set stay when they are not given, unless the URL's origin changes: then they are removed.

Examples:
  botyard webhook set echo https://bots.example/hook --generate-secret
  botyard webhook set echo https://bots.example/hook --secret-token - < secret.txt
  botyard webhook set echo https://audit.example/hook --name audit --event-type 'ticket.*'`,
    )
    .action(set);
  addSecretOptions(setting);
  addSettings(setting);

  clientCommand(webhook, "list <bot>")
    .description("list a bot's webhooks")
    .addHelpText("after", "\nExample:\n  botyard webhook list echo")
    .action(list);

  webhookCommand(webhook, "show <bot>")
    .description("show a bot's webhook and how its receiver has been answering")
    .addHelpText("after", "\nExample:\n  botyard webhook show echo")
    .action(show);

  webhookCommand(webhook, "test <bot>")
    .description("send a test event at once and show what the receiver answered; exit code 1 when it refuses")
    .addHelpText("after", "\nExample:\n  botyard webhook test echo")
    .action(test);

  webhookCommand(webhook, "pause <bot>")
    .description("send nothing until the webhook is resumed; updates are still recorded")
    .addHelpText("after", "\nExample:\n  botyard webhook pause echo")
    .action((name: string, options: NamedWebhookOptions) => setPaused("pause", name, options));

  webhookCommand(webhook, "resume <bot>")
    .description("send again, beginning with what was recorded meanwhile")
    .addHelpText("after", "\nExample:\n  botyard webhook resume echo")
    .action((name: string, options: NamedWebhookOptions) => setPaused("resume", name, options));

  addWebhookErrors(webhook);
  addSecret(webhook);
  addReplay(webhook);
  addSendAgain(webhook);
  addSkip(webhook);

  confirmedCommand(webhookCommand(webhook, "remove <bot>"))
    .description("stop sending, and forget the URL and the secret; updates stay and can be polled")
    .addHelpText("after", "\nExample:\n  botyard webhook remove echo --yes")
    .action(remove);
}

interface SetOptions extends NamedWebhookOptions, SecretOptions, SettingsOptions {
  deliverFrom?: string;
}

async function set(name: string, url: string, options: SetOptions): Promise<void> {
  const secret = await secretOf(options);
  const { deliverFrom: from } = options;
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const wanted = {
    url,
    ...secret,
    ...(from === undefined ? {} : { deliver_from: from }),
    ...settingsOf(options),
  };
  const webhook = await owner.putWebhook(id, wanted, namedBy(options));
  const shown = options.generateSecret ? secret : {};
  printRecord({ ...webhook, ...shown }, options.json, {
    bot: username,
    webhook: options.name,
    ...fieldsOf(webhook),
    ...shown,
  });
  if (options.generateSecret) say(KEEP_SECRET);
}

async function list(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.listWebhooks((await findBot(owner, name)).id);
  printResult(
    answer,
    options.json,
    answer.items.map((webhook) => ({
      name: webhook.name,
      url: webhook.url,
      state: stateOf(webhook),
      pending: webhook.pending_update_count,
      "last error": webhook.last_delivery_error || undefined,
    })),
  );
}

async function show(name: string, options: NamedWebhookOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const webhook = await owner.getWebhook(id, namedBy(options));
  printWebhook(username, webhook, options);
}

async function test(name: string, options: NamedWebhookOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.testWebhook((await findBot(owner, name)).id, namedBy(options));
  printAnswer(answer, options.json);
  if (!answer.delivered) throw new Error(`the receiver did not accept the test event: ${answer.error}`);
}

async function setPaused(
  verb: "pause" | "resume",
  name: string,
  options: NamedWebhookOptions,
): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const which = namedBy(options);
  const webhook = await (verb === "pause" ? owner.pauseWebhook(id, which) : owner.resumeWebhook(id, which));
  printWebhook(username, webhook, options);
}

async function remove(name: string, options: NamedWebhookOptions & ConfirmOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const what = options.name === undefined ? "the webhook" : `the webhook ${options.name}`;
  await confirm(`remove ${what} of the bot ${username}, with its secret`, options);
  const answer = await owner.deleteWebhook(id, namedBy(options));
  printResult(answer, options.json, [{ bot: username, webhook: options.name, status: answer.status }]);
}

function printWebhook(username: string, webhook: WebhookConfig, { name, json }: NamedWebhookOptions): void {
  printRecord(webhook, json, { bot: username, webhook: name, ...fieldsOf(webhook) });
}
