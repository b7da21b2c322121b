import { randomBytes } from "node:crypto";
import type { WebhookConfig } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../input/confirm.js";
import { findBot } from "../input/find.js";
import { textOf } from "../input/values.js";
import { printRecord, printResult, say } from "../output/print.js";
import { printAnswer } from "./webhook/answer.js";
import { addWebhookErrors } from "./webhook/errors.js";
import { addReplay } from "./webhook/replay.js";
import { addSecret } from "./webhook/secret.js";
import { addSendAgain } from "./webhook/send-again.js";
import { addSettings, type SettingsOptions, settingsOf } from "./webhook/settings.js";
import { addSkip } from "./webhook/skip.js";

/** `botyard webhook`: where a bot's updates are sent, and how deliveries go. */
export function addWebhook(program: Command): void {
  const webhook = program.command("webhook").description("set, test, watch and repair a bot's webhook");

  const setting = clientCommand(webhook, "set <bot> <webhook-url>")
    .description("send a bot's updates to this URL, beginning with those it has not received")
    .addOption(
      new Option("--secret-token <text>", "sign with this secret; - reads it from stdin").conflicts([
        "generateSecret",
        "removeSecret",
      ]),
    )
    .addOption(
      new Option("--generate-secret", "sign with a new secret, and show it").conflicts("removeSecret"),
    )
    .option("--remove-secret", "do not sign any more")
    .option(
      "--deliver-from <where>",
      "at a new URL: backlog, now, the number of an update, or consumer:NAME (else what no consumer has handled)",
    )
    .addHelpText(
      "after",
      `
A secret and headers that are set stay when they are not given, unless the URL's origin changes: then they are removed.

Examples:
  botyard webhook set echo https://bots.example/hook --generate-secret
  botyard webhook set echo https://bots.example/hook --secret-token - < secret.txt`,
    )
    .action(set);
  addSettings(setting);

  clientCommand(webhook, "show <bot>")
    .description("show a bot's webhook and how its receiver has been answering")
    .addHelpText("after", "\nExample:\n  botyard webhook show echo")
    .action(show);

  clientCommand(webhook, "test <bot>")
    .description("send a test event at once and show what the receiver answered; exit code 1 when it refuses")
    .addHelpText("after", "\nExample:\n  botyard webhook test echo")
    .action(test);

  clientCommand(webhook, "pause <bot>")
    .description("send nothing until the webhook is resumed; updates are still recorded")
    .addHelpText("after", "\nExample:\n  botyard webhook pause echo")
    .action((name: string, options: ClientCommandOptions) => setPaused("pause", name, options));

  clientCommand(webhook, "resume <bot>")
    .description("send again, beginning with what was recorded meanwhile")
    .addHelpText("after", "\nExample:\n  botyard webhook resume echo")
    .action((name: string, options: ClientCommandOptions) => setPaused("resume", name, options));

  addWebhookErrors(webhook);
  addSecret(webhook);
  addReplay(webhook);
  addSendAgain(webhook);
  addSkip(webhook);

  confirmedCommand(clientCommand(webhook, "remove <bot>"))
    .description("stop sending, and forget the URL and the secret; updates stay and can be polled")
    .addHelpText("after", "\nExample:\n  botyard webhook remove echo --yes")
    .action(remove);
}

interface SetOptions extends ClientCommandOptions, SettingsOptions {
  deliverFrom?: string;
  secretToken?: string;
  generateSecret?: boolean;
  removeSecret?: boolean;
}

async function set(name: string, url: string, options: SetOptions): Promise<void> {
  const secret = await secretOf(options);
  const { deliverFrom: from } = options;
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const webhook = await owner.putWebhook(id, {
    url,
    ...(secret === undefined ? {} : { secret_token: secret }),
    ...(from === undefined ? {} : { deliver_from: from }),
    ...settingsOf(options),
  });
  const shown = options.generateSecret && secret ? { secret_token: secret } : {};
  printRecord({ ...webhook, ...shown }, options.json, { ...fieldsOf(username, webhook), ...shown });
  if (options.generateSecret) say("keep the secret safe: it is not shown again");
}

/** What to set as the secret: empty removes it, undefined leaves it. */
async function secretOf({ secretToken, generateSecret, removeSecret }: SetOptions) {
  if (removeSecret) return "";
  if (generateSecret) return randomBytes(32).toString("base64url");
  return secretToken === undefined ? undefined : await textOf(secretToken);
}

async function show(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const webhook = await owner.getWebhook(id);
  printRecord(webhook, options.json, fieldsOf(username, webhook));
}

async function test(name: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const answer = await owner.testWebhook((await findBot(owner, name)).id);
  printAnswer(answer, options.json);
  if (!answer.delivered) throw new Error(`the receiver did not accept the test event: ${answer.error}`);
}

async function setPaused(
  verb: "pause" | "resume",
  name: string,
  options: ClientCommandOptions,
): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  const webhook = await (verb === "pause" ? owner.pauseWebhook(id) : owner.resumeWebhook(id));
  printRecord(webhook, options.json, fieldsOf(username, webhook));
}

async function remove(name: string, options: ClientCommandOptions & ConfirmOptions): Promise<void> {
  const owner = await ownerOf(options);
  const { id, username } = await findBot(owner, name);
  await confirm(`remove the webhook of the bot ${username}, with its secret`, options);
  const answer = await owner.deleteWebhook(id);
  printResult(answer, options.json, [{ bot: username, status: answer.status }]);
}

function fieldsOf(username: string, webhook: WebhookConfig) {
  return {
    bot: username,
    url: webhook.url || "none",
    state: stateOf(webhook),
    secret: webhook.has_secret_token ? "set" : "none",
    "updates a request": webhook.max_batch,
    "requests at once": webhook.max_in_flight,
    "requests a second": webhook.max_per_second,
    headers: webhook.header_names?.join(", "),
    "pauses after": webhook.auto_pause,
    "earlier secret signs until": webhook.previous_secret_until,
    pending: webhook.pending_update_count,
    "last error": webhook.last_delivery_error || undefined,
    "last attempt": webhook.last_attempted_at,
    "last delivery": webhook.last_delivered_at,
    "next retry": webhook.next_retry_at ?? undefined,
  };
}

const PAUSED_BECAUSE = {
  gone: ": its receiver answered 410",
  failing: ": its receiver kept failing",
  platform: " by the platform",
  owner: "",
};

function stateOf({ url, paused_at, pause_reason, failing_since, last_delivered_at }: WebhookConfig): string {
  if (url === "") return "not set";
  if (paused_at) return `paused since ${paused_at}${PAUSED_BECAUSE[pause_reason ?? "owner"]}`;
  if (failing_since) return `failing since ${failing_since}`;
  return last_delivered_at ? "healthy" : "not tried yet";
}
