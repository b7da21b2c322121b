import type { WebhookErrorEntry } from "@botyard/sdk";
import { Button, Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lists } from "../../../api/lists.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Placeholder } from "../../../ui/loaded.js";
import { count } from "../../../ui/numbers.js";
import { ReplayButton } from "../replay.js";
import { useWebhookName } from "../webhook-name.js";
import { ErrorList } from "./error-list.js";

/** The largest number of updates that one call replays. */
const MAX_REPLAY = 100;

interface UndeliveredProps {
  botId: string;
  onOpen: (updateId: number) => void;
}

/**
 * The undelivered failures that are loaded so far.
 *
 * @param isShown nothing is requested while it is false
 */
export function useUndelivered(botId: string, isShown = true) {
  const webhook = useWebhookName();
  const failed = useInfiniteQuery({ ...lists.errors(botId, "failed", webhook), enabled: isShown });
  const scheduled = useInfiniteQuery({ ...lists.errors(botId, "scheduled", webhook), enabled: isShown });
  // Updates that wait for a retry come after those that failed for good.
  const all = [
    ...(failed.data?.pages.flat() ?? []),
    ...(failed.hasNextPage ? [] : (scheduled.data?.pages.flat() ?? [])),
  ];
  return { failed, scheduled, all, ids: all.map(({ update_id: id }) => id) };
}

/** The updates one by one: those that failed for good, then those that wait for a retry. */
export function Undelivered({ botId, onOpen }: UndeliveredProps) {
  const { failed, scheduled, all, ids } = useUndelivered(botId);
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const next = failed.hasNextPage ? failed : scheduled.hasNextPage ? scheduled : undefined;
  const chosen = ids.filter((id) => picked.has(id)).slice(0, MAX_REPLAY);
  const most = Math.min(ids.length, MAX_REPLAY);
  const error = failed.error ?? scheduled.error;
  const readAgain = () => {
    for (const list of [failed, scheduled]) {
      if (list.isFetchNextPageError) void list.fetchNextPage({ cancelRefetch: false });
      else if (list.isError) void list.refetch({ cancelRefetch: false });
    }
  };
  if (failed.isPending || scheduled.isPending) return <Placeholder lines={6} />;
  return (
    <Stack gap="md">
      <Group gap="md">
        <Title order={3}>One by one</Title>
        <Checkbox
          label="Select all"
          checked={chosen.length > 0 && chosen.length === most}
          indeterminate={chosen.length > 0 && chosen.length < most}
          onChange={({ currentTarget: { checked } }) =>
            setPicked(new Set(checked ? ids.slice(0, MAX_REPLAY) : []))
          }
        />
        {chosen.length > 0 && (
          <ReplayButton botId={botId} updateIds={chosen} size="xs">
            Replay {count(chosen.length, "update")}
          </ReplayButton>
        )}
        {ids.length > MAX_REPLAY && (
          <Text size="sm" c="dimmed">
            {MAX_REPLAY} at a time
          </Text>
        )}
      </Group>
      <ErrorList
        label="Not delivered"
        errors={all}
        picked={picked}
        onPick={(id) => setPicked(toggled(picked, id))}
        onOpen={onOpen}
      />
      <FailureAlert error={error} of="read" onRetry={readAgain} />
      {next && (
        <Group justify="center">
          <Button
            variant="default"
            loading={next.isFetchingNextPage}
            onClick={() => void next.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Whether a replay would send it again. */
export function isUndelivered({ state }: Pick<WebhookErrorEntry, "state">): boolean {
  return state === "failed" || state === "scheduled";
}

function toggled(picked: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const others = new Set(picked);
  if (!others.delete(id)) others.add(id);
  return others;
}
