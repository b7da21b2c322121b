import { Code, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { InboxIcon } from "../../../ui/icons.js";
import { AnchorLink } from "../../../ui/links.js";
import { Moment } from "../../../ui/moment.js";
import { NothingYet } from "../../../ui/nothing-yet.js";
import { formatted } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";
import classes from "./consumers.module.css";

interface ConsumersProps {
  botId: string;
  /** Whether to say that there are none: a bot without a webhook should have a consumer. */
  isNeeded: boolean;
}

/** Who reads the bot's log by polling, how far each has come, and when it last asked. */
export function Consumers({ botId, isNeeded }: ConsumersProps) {
  const { data: consumers } = useQuery(queries.consumers(botId));
  if (!consumers || (consumers.length === 0 && !isNeeded)) return null;
  return (
    <Panel title="Consumers" description="Programs that read the bot's updates by polling, under a name.">
      {consumers.length === 0 ? (
        <NothingYet icon={<InboxIcon />} title="No consumer polls this bot">
          Start the bot with a consumer, <Code>{'bot.start({ consumer: "main" })'}</Code>, and its position is
          shown here. Polls without a name are not shown.
        </NothingYet>
      ) : (
        <Table.ScrollContainer minWidth={300}>
          <Table className={classes["numbers"]}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th ta="right">Position</Table.Th>
                <Table.Th ta="right">Behind</Table.Th>
                <Table.Th>Last poll</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {consumers.map(({ name, position, lag, last_polled_at: polledAt }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td ta="right">
                    {position > 0 ? (
                      <AnchorLink
                        to="/bots/$botId/updates"
                        params={{ botId }}
                        search={{ update: position }}
                        fz="sm"
                      >
                        {formatted(position)}
                      </AnchorLink>
                    ) : (
                      "0"
                    )}
                  </Table.Td>
                  <Table.Td ta="right">{lag === 0 ? "nothing" : formatted(lag)}</Table.Td>
                  <Table.Td>{polledAt ? <Moment at={polledAt} /> : "not yet"}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}
