import type { FeedWebhookConfig } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, platformOf, serviceCommand } from "../../client.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../../input/confirm.js";
import { printRecord, printResult, say } from "../../output/print.js";
import { stateOf } from "../webhook/fields.js";
import { addSecretOptions, KEEP_SECRET, type SecretOptions, secretOf } from "../webhook/secret-options.js";
import { addHeaders, batchOf, type HeaderOptions, headersOf } from "../webhook/settings.js";

/** `botyard feed webhook`: the webhook that the feed is sent to. */
export function addFeedWebhook(feed: Command): void {
  const webhook = feed.command("webhook").description("send the feed to a webhook");

  const setting = serviceCommand(webhook, "set <webhook-url>")
    .description("send the feed to this URL, a page at a time, in order")
    .option(
      "--max-batch <number>",
      "the most items of one request, 1 to 100 (else it stays as it is; 100 at first)",
    )
    .addHelpText(
      "after",
      "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed webhook set https://chat.example/feed --generate-secret",
    )
    .action(set);
  addHeaders(setting);
  addSecretOptions(setting);

  serviceCommand(webhook, "show")
    .description("show where the feed is sent and how the receiver has been answering")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed webhook show")
    .action(show);

  confirmedCommand(serviceCommand(webhook, "remove"))
    .description("send the feed to no webhook any more, and forget how far it was")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard feed webhook remove --yes")
    .action(remove);

  async function set(
    url: string,
    options: ClientCommandOptions & SecretOptions & HeaderOptions & { maxBatch?: string },
  ): Promise<void> {
    const secret = await secretOf(options);
    const platform = await platformOf(options);
    const answer = await platform.putFeedWebhook({
      url,
      ...secret,
      ...batchOf(options),
      ...headersOf(options),
    });
    const shown = options.generateSecret ? secret : {};
    printRecord({ ...answer, ...shown }, options.json, { ...fieldsOf(answer), ...shown });
    if (options.generateSecret) say(KEEP_SECRET);
  }

  async function show(options: ClientCommandOptions): Promise<void> {
    const answer = await (await platformOf(options)).getFeedWebhook();
    printRecord(answer, options.json, fieldsOf(answer));
  }

  async function remove(options: ClientCommandOptions & ConfirmOptions): Promise<void> {
    const platform = await platformOf(options);
    await confirm("remove the webhook of the feed, with its secret and its position", options);
    const answer = await platform.deleteFeedWebhook();
    printResult(answer, options.json, [{ status: answer.status }]);
  }
}

function fieldsOf(webhook: FeedWebhookConfig) {
  return {
    url: webhook.url || "none",
    state: stateOf(webhook),
    secret: webhook.has_secret_token ? "set" : "none",
    "items a request": webhook.max_batch,
    headers: webhook.header_names?.join(", "),
    pending: webhook.pending_item_count,
    "last error": webhook.last_delivery_error || undefined,
    "last attempt": webhook.last_attempted_at,
    "last delivery": webhook.last_delivered_at,
  };
}
