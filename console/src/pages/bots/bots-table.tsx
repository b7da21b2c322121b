import type { BotOverview } from "@botyard/sdk";
import { Group, Paper, Table, Text } from "@mantine/core";
import { AnchorLink } from "../../ui/links.js";
import { Moment } from "../../ui/moment.js";
import { formatted } from "../../ui/numbers.js";
import { Sparkline } from "../../ui/sparkline.js";
import { WebhookState } from "../../ui/webhook-state.js";

/** The bots with their health; on a phone with fewer columns. */
export function BotsTable({ bots }: { bots: readonly BotOverview[] }) {
  return (
    <Paper withBorder style={{ overflow: "hidden" }}>
      <Table
        verticalSpacing="sm"
        horizontalSpacing="md"
        highlightOnHover
        style={{ fontVariantNumeric: "tabular-nums" }}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={{ base: "40%", sm: "auto" }}>Bot</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th visibleFrom="sm">Delivered in the last hour</Table.Th>
            <Table.Th ta="right">Waiting</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Failed
            </Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Channels
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bots.map((overview) => (
            <BotRow key={overview.bot.id} overview={overview} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function BotRow({ overview }: { overview: BotOverview }) {
  const { bot, health, failing_since, delivered, oldest_pending_at } = overview;
  const waiting = overview.pending_updates + overview.scheduled_retries;
  return (
    <Table.Tr>
      <Table.Td>
        <AnchorLink
          to="/bots/$botId"
          params={{ botId: bot.id }}
          fw={600}
          fz={{ base: "sm", sm: "md" }}
          style={{ wordBreak: "break-word" }}
        >
          {bot.display_name}
        </AnchorLink>
        <Text size="sm" c="dimmed" style={{ wordBreak: "break-word" }}>
          @{bot.username}
        </Text>
      </Table.Td>
      <Table.Td>
        <WebhookState state={health} />
        {failing_since && (
          <Text size="xs" c="dimmed" mt={4}>
            since <Moment at={failing_since} />
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Group gap="sm" wrap="nowrap">
          <Sparkline values={delivered} what="delivered in the last hour" />
          <Text size="sm" c="dimmed">
            {formatted(delivered.reduce((sum, number) => sum + number, 0))}
          </Text>
        </Group>
      </Table.Td>
      <Table.Td ta="right">
        {/* Without a webhook nothing waits to be sent. */}
        {health === "no_webhook" ? "–" : formatted(waiting)}
        {health !== "no_webhook" && oldest_pending_at && (
          <Text size="xs" c="dimmed" visibleFrom="sm">
            since <Moment at={oldest_pending_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {overview.terminal_failed_updates > 0 ? (
          <AnchorLink
            to="/bots/$botId/errors"
            params={{ botId: bot.id }}
            c="var(--mantine-color-error)"
            fz="sm"
          >
            {formatted(overview.terminal_failed_updates)}
          </AnchorLink>
        ) : (
          "0"
        )}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {formatted(overview.attached_channel_count)}
      </Table.Td>
    </Table.Tr>
  );
}
