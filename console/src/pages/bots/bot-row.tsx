import type { BotOverview } from "@botyard/sdk";
import { Checkbox, Group, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { BotStateBadge, BotStateCause } from "../../ui/bot-state.js";
import { AnchorLink } from "../../ui/links.js";
import { Moment } from "../../ui/moment.js";
import { formatted, percentage, sum } from "../../ui/numbers.js";
import { Sparkline } from "../../ui/sparkline.js";
import classes from "./bots-table.module.css";

interface BotRowProps {
  overview: BotOverview;
  /** The top of the scale of all sparklines. */
  most: number;
  isPicked: boolean;
  onPick: (isPicked: boolean) => void;
}

/** A bot; the whole row is a link to it. */
export function BotRow({ overview, most, isPicked, onPick }: BotRowProps) {
  const { bot, state, terminal_failed_updates: failed } = overview;
  return (
    <Table.Tr className={classes["row"]}>
      <Table.Td className={classes["pick"]}>
        <Checkbox
          className={classes["above"]}
          aria-label={`Select @${bot.username}`}
          checked={isPicked}
          onChange={({ currentTarget: { checked } }) => onPick(checked)}
        />
      </Table.Td>
      <Table.Td className={classes["bot"]}>
        <Link to="/bots/$botId" params={{ botId: bot.id }} className={classes["name"]}>
          {bot.display_name}
        </Link>
        <Text size="sm" c="dimmed" className={classes["username"]}>
          @{bot.username}
        </Text>
      </Table.Td>
      <Table.Td className={classes["state"]}>
        <BotStateBadge state={state} />
        <Text component="div" size="xs" c="dimmed" mt={4}>
          <BotStateCause state={state} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <LastHour overview={overview} most={most} />
      </Table.Td>
      <Waiting overview={overview} />
      <Table.Td ta="right" className={classes["failed"]} data-unit="failed">
        {failed > 0 ? (
          <AnchorLink
            to="/bots/$botId/errors"
            params={{ botId: bot.id }}
            className={`${classes["above"]} ${classes["bad"]}`}
            fz="sm"
          >
            {formatted(failed)}
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

/** The number of updates that wait to be sent or, without a webhook, to be read. */
function Waiting({ overview: { state, oldest_pending_at: oldest } }: Pick<BotRowProps, "overview">) {
  const { waiting, unread } = state;
  // Polls without a consumer's name may have read them.
  const isReaderKnown = state.name !== "no_webhook";
  return (
    <Table.Td
      ta="right"
      className={classes["waiting"]}
      data-unit={unread === undefined ? "waiting" : isReaderKnown ? "not read" : "recorded"}
    >
      {formatted(unread ?? waiting)}
      {unread !== undefined && unread > 0 && (
        <Text component="div" size="xs" c="dimmed" visibleFrom="sm">
          {isReaderKnown ? "not read yet" : "no known reader"}
        </Text>
      )}
      {waiting > 0 && oldest && (
        <Text component="div" size="xs" c="dimmed" visibleFrom="sm">
          oldest <Moment at={oldest} />
        </Text>
      )}
    </Table.Td>
  );
}

/** The attempts of the last hour, and the accepted part of them. */
function LastHour({
  overview: { delivered, failed_attempts: failed },
  most,
}: Pick<BotRowProps, "overview" | "most">) {
  const accepted = sum(delivered);
  const all = accepted + sum(failed);
  return (
    <Group gap="sm" wrap="nowrap">
      <Sparkline delivered={delivered} failed={failed} most={most} />
      <div>
        <Text size="sm">{formatted(accepted)}</Text>
        {all > 0 && (
          <Text size="xs" c="dimmed">
            {percentage(accepted, all)} accepted
          </Text>
        )}
      </div>
    </Group>
  );
}
