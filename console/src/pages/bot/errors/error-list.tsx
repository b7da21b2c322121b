import type { WebhookErrorEntry } from "@botyard/sdk";
import { Checkbox, Text, UnstyledButton } from "@mantine/core";
import { Moment } from "../../../ui/moment.js";
import { count } from "../../../ui/numbers.js";
import rows from "../../../ui/rows.module.css";
import { StateBadge } from "../../../ui/state-badge.js";
import styles from "./error-list.module.css";

interface ErrorListProps {
  label: string;
  errors: readonly WebhookErrorEntry[];
  picked?: ReadonlySet<number>;
  /** Left out of a list in which nothing can be selected. */
  onPick?: (updateId: number) => void;
  onOpen: (updateId: number) => void;
}

export function ErrorList({ label, errors, picked, onPick, onOpen }: ErrorListProps) {
  return (
    <ul className={rows["rows"]} aria-label={label}>
      {errors.map((error) => (
        <li key={error.update_id} className={styles["row"]}>
          {onPick && (
            <Checkbox
              aria-label={`Select update ${error.update_id}`}
              checked={picked?.has(error.update_id) ?? false}
              onChange={() => onPick(error.update_id)}
            />
          )}
          <UnstyledButton className={styles["error"]} onClick={() => onOpen(error.update_id)}>
            <span className={styles["what"]}>
              <Text span display="block" fw={600} truncate>
                {error.last_delivery_error}
              </Text>
              <Text span display="block" size="sm" c="dimmed">
                Update {error.update_id} · {count(error.webhook_attempt_count, "attempt")}
                {error.last_attempted_at && (
                  <>
                    , last <Moment at={error.last_attempted_at} as="both" />
                  </>
                )}
                {error.next_retry_at !== null && (
                  <>
                    , next <Moment at={error.next_retry_at} />
                  </>
                )}
              </Text>
            </span>
            <StateBadge state={error.state} />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
