import type { OwnerUpdate, WebhookConfig } from "@botyard/sdk";
import { Code, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { Copy } from "../../../ui/copy.js";
import { useWebhookName } from "../webhook-name.js";
import classes from "./sent-request.module.css";

const MASKED = "••••••";

/** The request of an attempt, with its secrets masked. Nothing without a webhook. */
export function SentRequest({ botId, update }: { botId: string; update: OwnerUpdate }) {
  const { data: webhook } = useQuery(queries.webhook(botId, useWebhookName()));
  if (!webhook || webhook.url === "") return null;
  const body = bodyOf(update);
  const headers = headersOf(update, webhook);
  return (
    <section aria-labelledby="request">
      <Group justify="space-between" mb="xs">
        <Title order={3} id="request">
          Request
        </Title>
        <Copy text={curlOf(webhook.url, headers, body)} what="as curl" wide />
      </Group>
      <Code block tabIndex={0} className={classes["request"]} data-testid="request">
        {[`POST ${webhook.url}`, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n")}
      </Code>
      <Text size="xs" c="dimmed" mt={4}>
        As it is sent to the URL of now. Each attempt has a timestamp and a signature of its own.
      </Text>
    </section>
  );
}

/** The body as the receiver gets it. */
function bodyOf({ update_id, event_type, payload, created_at }: OwnerUpdate): string {
  return JSON.stringify({ update_id, event_type, payload, created_at });
}

function headersOf({ last_attempted_at: at }: OwnerUpdate, { has_secret_token: isSigned }: WebhookConfig) {
  const timestamp = at === undefined ? MASKED : String(Math.floor(Date.parse(at) / 1000));
  const headers: [name: string, value: string][] = [
    ["Content-Type", "application/json"],
    ["X-Service-Bot-Api-Timestamp", timestamp],
  ];
  if (isSigned) {
    headers.push(
      ["X-Service-Bot-Api-Secret-Token", MASKED],
      ["X-Service-Bot-Api-Signature", `sha256=${MASKED}`],
    );
  }
  return headers;
}

/** A curl command. In a shell, only the single quote itself has a meaning within single quotes. */
function curlOf(url: string, headers: readonly (readonly [string, string])[], body: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(" \\\n  ");
}
