import type { BotRecord } from "@botyard/sdk";
import { Paper, Table, Text } from "@mantine/core";
import { AnchorLink } from "../../ui/links.js";
import { Moment } from "../../ui/moment.js";

export function BotsTable({ bots }: { bots: readonly BotRecord[] }) {
  return (
    <Paper withBorder>
      <Table.ScrollContainer minWidth={320} type="native">
        <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Bot</Table.Th>
              <Table.Th>Created</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {bots.map((bot) => (
              <Table.Tr key={bot.id}>
                <Table.Td>
                  <AnchorLink to="/bots/$botId" params={{ botId: bot.id }} fw={600}>
                    {bot.display_name}
                  </AnchorLink>
                  <Text size="sm" c="dimmed">
                    @{bot.username}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Moment at={bot.created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}
