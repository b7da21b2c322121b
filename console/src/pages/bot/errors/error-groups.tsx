import type { ErrorGroups as Groups } from "@botyard/sdk";
import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { ReplayIcon } from "../../../ui/icons.js";
import { Loaded } from "../../../ui/loaded.js";
import { Moment } from "../../../ui/moment.js";
import { count, formatted } from "../../../ui/numbers.js";
import rows from "../../../ui/rows.module.css";
import { useWebhookName } from "../webhook-name.js";
import styles from "./error-list.module.css";

interface ErrorGroupsProps {
  botId: string;
  onReplay: (error: string, total: number) => void;
  onOpen: (updateId: number) => void;
}

/** The reasons why updates are not delivered, the most frequent first. */
export function ErrorGroups({ botId, onReplay, onOpen }: ErrorGroupsProps) {
  const groups = useQuery(queries.errorGroups(botId, useWebhookName()));
  return (
    <Loaded query={groups}>
      {({ items, is_partial: isPartial }) => (
        <>
          <ul className={rows["rows"]} aria-label="Causes">
            {items.map((group) => (
              <ErrorGroup key={group.error} group={group} onReplay={onReplay} onOpen={onOpen} />
            ))}
          </ul>
          {isPartial && (
            <Text size="sm" c="dimmed">
              Counted are the newest 2,000 that gave up, and as many that wait for a retry. A replay takes
              all.
            </Text>
          )}
        </>
      )}
    </Loaded>
  );
}

interface ErrorGroupProps extends Omit<ErrorGroupsProps, "botId"> {
  group: Groups["items"][number];
}

function ErrorGroup({ group, onReplay, onOpen }: ErrorGroupProps) {
  const { error, failed, scheduled, first_attempted_at: first, last_attempted_at: last } = group;
  const total = failed + scheduled;
  return (
    <li className={styles["row"]}>
      <UnstyledButton className={styles["error"]} onClick={() => onOpen(group.example_update_id)}>
        <span className={styles["what"]}>
          <Text span display="block" fw={600} className={styles["reason"]}>
            {error || "expired before an attempt"}
          </Text>
          <Text span display="block" size="sm" c="dimmed">
            {[
              failed > 0 && `${formatted(failed)} gave up`,
              scheduled > 0 && `${formatted(scheduled)} waiting for a retry`,
            ]
              .filter(Boolean)
              .join(", ")}
            {first === last ? (
              <>
                {" · "}
                <Moment at={last} as="both" />
              </>
            ) : (
              <>
                {" · first "}
                <Moment at={first} as="both" />
                {", last "}
                <Moment at={last} as="both" />
              </>
            )}
          </Text>
        </span>
        <Text span size="sm" c="dimmed" visibleFrom="sm">
          Example
        </Text>
      </UnstyledButton>
      <Group gap="xs" wrap="nowrap">
        <Button
          size="xs"
          variant="light"
          leftSection={<ReplayIcon size={14} />}
          onClick={() => onReplay(error, total)}
          aria-label={`Replay ${count(total, "update")}: ${error}`}
        >
          Replay {formatted(total)}
        </Button>
      </Group>
    </li>
  );
}
