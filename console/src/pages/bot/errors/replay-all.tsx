import { Button, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { owner } from "../../../api/client.js";
import { queries } from "../../../api/queries.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { ReplayIcon } from "../../../ui/icons.js";
import { count, formatted } from "../../../ui/numbers.js";

/** Replays all failed updates that are not delivered yet, a hundred a call, and shows the progress. */
export function ReplayAll({ botId, isNeeded }: { botId: string; isNeeded: boolean }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        leftSection={<ReplayIcon size={16} />}
        disabled={!isNeeded}
        onClick={dialog.open}
      >
        Replay all
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title="Replay everything that failed?"
        // Closing the dialog stops the replay, so only a button does it.
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        <Replaying botId={botId} onClose={dialog.close} />
      </Modal>
    </>
  );
}

function Replaying({ botId, onClose }: { botId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const stats = useQuery(queries.stats(botId));
  const failed = stats.data ? stats.data.terminal_failed_updates + stats.data.scheduled_retries : 0;
  const [progress, setProgress] = useState({ done: 0, total: 0 });
  const isStopped = useRef(false);
  const replay = useMutation({
    async mutationFn() {
      // No more than there were at the start, so updates that fail again meanwhile are not replayed twice.
      const total = failed;
      for (let done = 0; done < total && !isStopped.current; ) {
        setProgress({ done, total });
        const { requeued } = await owner.replayWebhook(botId);
        if (requeued === 0) break;
        done += requeued;
        setProgress({ done: Math.min(done, total), total });
      }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["bot", botId] }),
  });
  const { done, total } = progress;
  if (replay.isIdle) {
    return (
      <Stack gap="md">
        <Text size="sm">
          {count(failed, "update")} will be sent again, oldest first, with a fresh retry schedule. The
          receiver may have got some of them before; it recognises them by their update_id.
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => replay.mutate()} disabled={failed === 0} data-autofocus>
            Replay
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Progress
        value={total === 0 ? 100 : (done / total) * 100}
        aria-label="Replayed"
        animated={replay.isPending}
      />
      <Text size="sm" aria-live="polite">
        {formatted(done)} of {count(total, "update")} are queued again.
      </Text>
      <FailureAlert error={replay.error} />
      <Group justify="flex-end" gap="sm">
        {replay.isPending ? (
          <Button
            variant="default"
            onClick={() => {
              isStopped.current = true;
            }}
          >
            Stop
          </Button>
        ) : (
          <Button onClick={onClose}>Done</Button>
        )}
      </Group>
    </Stack>
  );
}
