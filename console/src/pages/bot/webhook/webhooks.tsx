import type { NamedWebhookConfig } from "@botyard/sdk";
import { Badge, Button, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { DEFAULT, queries } from "../../../api/queries.js";
import { NameWebhookDialog } from "../../../forms/webhook/name-webhook.js";
import { BOT_STATES, type BotStateName } from "../../../ui/bot-state.js";
import { PlusIcon } from "../../../ui/icons.js";
import { AnchorLink } from "../../../ui/links.js";
import { Moment } from "../../../ui/moment.js";
import { formatted } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";
import { useWebhookName } from "../webhook-name.js";
import { BECAUSE } from "./pause-webhook.js";
import classes from "./webhooks.module.css";

const MAX_WEBHOOKS = 16;

/** The bot's webhooks side by side; nothing until the first is set. */
export function Webhooks({ botId }: { botId: string }) {
  const open = useWebhookName();
  const [isNaming, naming] = useDisclosure();
  const { data: webhooks = [] } = useQuery(queries.webhooks(botId));
  if (webhooks.length === 0 && open === undefined) return null;
  return (
    <Panel
      title="Webhooks"
      description="Each is sent the bot's updates on its own, with its own errors and retries."
      actions={
        <Button
          variant="default"
          leftSection={<PlusIcon />}
          onClick={naming.open}
          disabled={webhooks.length >= MAX_WEBHOOKS}
        >
          Add a webhook
        </Button>
      }
    >
      {(webhooks.length > 1 || open !== undefined || webhooks[0]?.name !== DEFAULT) && (
        <Table aria-label="Webhooks" layout="fixed" className={classes["table"]}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes["webhook"]}>Webhook</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th ta="right" className={classes["waiting"]}>
                Waiting
              </Table.Th>
              <Table.Th>Last error</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {webhooks.map((webhook) => (
              <WebhookRow
                key={webhook.name}
                botId={botId}
                webhook={webhook}
                isOpen={webhook.name.toLowerCase() === (open ?? DEFAULT).toLowerCase()}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NameWebhookDialog
        botId={botId}
        taken={webhooks.map(({ name }) => name)}
        opened={isNaming}
        onClose={naming.close}
      />
    </Panel>
  );
}

interface WebhookRowProps {
  botId: string;
  webhook: NamedWebhookConfig;
  isOpen: boolean;
}

function WebhookRow({ botId, webhook, isOpen }: WebhookRowProps) {
  const { name, url, pending_update_count: waiting, last_delivery_error: error } = webhook;
  const [words, color] = BOT_STATES[stateOf(webhook)];
  return (
    <Table.Tr className={isOpen ? `${classes["row"]} ${classes["open"]}` : classes["row"]}>
      <Table.Td className={classes["webhook"]}>
        <AnchorLink
          to="/bots/$botId/webhook"
          params={{ botId }}
          search={{ webhook: name === DEFAULT ? undefined : name }}
          resetScroll={false}
          fw={600}
          aria-current={isOpen ? "true" : undefined}
        >
          {name}
        </AnchorLink>
        <Text size="sm" c="dimmed" truncate title={url}>
          {url}
        </Text>
      </Table.Td>
      <Table.Td className={classes["state"]}>
        <Badge color={color} miw="max-content">
          {words}
        </Badge>
        <Text component="div" size="xs" c="dimmed" mt={4}>
          <Cause webhook={webhook} />
        </Text>
      </Table.Td>
      <Table.Td ta="right" className={classes["waiting"]} data-unit="waiting">
        {formatted(waiting)}
      </Table.Td>
      <Table.Td className={error === "" ? `${classes["error"]} ${classes["none"]}` : classes["error"]}>
        {error === "" ? (
          "none"
        ) : (
          <AnchorLink
            to="/bots/$botId/errors"
            params={{ botId }}
            search={{ webhook: name === DEFAULT ? undefined : name }}
            fz="sm"
          >
            {error}
          </AnchorLink>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Cause({ webhook: { paused_at, pause_reason, failing_since } }: { webhook: NamedWebhookConfig }) {
  const since = paused_at ?? failing_since;
  if (since === undefined) return null;
  return (
    <>
      <Moment at={since} as="lasting" />
      {paused_at !== undefined && BECAUSE[pause_reason ?? "owner"]}
    </>
  );
}

function stateOf({ paused_at, failing_since, last_delivered_at }: NamedWebhookConfig): BotStateName {
  if (paused_at !== undefined) return "paused";
  if (failing_since !== undefined) return "failing";
  return last_delivered_at === undefined ? "untried" : "healthy";
}
