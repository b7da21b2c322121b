import { Button, Group, Modal, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { queries } from "../../../api/queries.js";
import { queryClient, refresh } from "../../../api/query-client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { focus } from "../../../ui/focus.js";
import { localInput, parseLocalInput } from "../../../ui/local-time.js";
import { useNavigationGuard } from "../../../ui/navigation-guard.js";
import { count, formatted } from "../../../ui/numbers.js";
import { useWebhookName } from "../webhook-name.js";
import { replay, type WhatToReplay } from "./replaying.js";

const HOUR_MS = 3_600_000;

interface ReplayDialogProps {
  botId: string;
  what: WhatToReplay;
  onClose: () => void;
}

/** Replays undelivered updates, a hundred a call, and shows the progress. */
export function ReplayDialog({ botId, what, onClose }: ReplayDialogProps) {
  const [since, setSince] = useState(() => localInput(Date.now() - HOUR_MS));
  const [done, setDone] = useState(0);
  const [isStopped, setStopped] = useState(false);
  const stop = useRef(new AbortController());
  const webhook = useWebhookName();
  const replaying = useMutation({
    mutationFn: ({ what, before }: { what: WhatToReplay; before: number }) =>
      replay({
        botId,
        webhook,
        what: what.kind === "since" ? what : { ...what, total: what.total - before },
        signal: stop.current.signal,
        onProgress: (more) => setDone(before + more),
      }),
    onSettled: () => {
      // The result of the test event is out of date: now these updates show whether the receiver works.
      if (webhook === undefined)
        queryClient.setQueryData(queries.tested(botId).queryKey, { isAccepted: false });
      return refresh(["bot", botId], ["bots"]);
    },
  });
  useNavigationGuard(replaying.isPending, "The replay goes on: stop it before you leave this page.");
  const sinceMs = parseLocalInput(since);
  const start = () =>
    replaying.mutate({
      what: what.kind === "since" ? { ...what, since: sinceMs ?? 0 } : what,
      before: done,
    });
  const total = what.kind === "since" ? undefined : what.total;
  return (
    <Modal
      opened
      onClose={onClose}
      title={replaying.isIdle ? titleOf(what) : titleOf(what).replace(/\?$/, "")}
      // Closing the dialog must not hide a replay that goes on.
      closeOnClickOutside={!replaying.isPending}
      closeOnEscape={!replaying.isPending}
      withCloseButton={!replaying.isPending}
    >
      {replaying.isIdle ? (
        <Stack gap="md">
          <Text size="sm">
            {total === undefined ? "They" : count(total, "update")} will be sent again, with a fresh retry
            schedule. The receiver may have got some of them before; it recognises them by their update_id.
          </Text>
          {what.kind === "since" && (
            <TextInput
              type="datetime-local"
              label="Last attempted since"
              value={since}
              onChange={(event) => setSince(event.currentTarget.value)}
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              disabled={what.kind === "since" && sinceMs === undefined}
              onClick={start}
              data-autofocus={what.kind !== "since" || undefined}
            >
              Replay
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack gap="md">
          <Progress
            value={total && replaying.isPending ? (done / total) * 100 : 100}
            aria-label="Replayed"
            animated={replaying.isPending}
          />
          <Text size="sm" aria-live="polite">
            {total === undefined
              ? `${count(done, "update")} queued again.`
              : `${formatted(done)} of ${count(total, "update")} are queued again.`}
            {replaying.isSuccess &&
              !isStopped &&
              done < (total ?? 0) &&
              " The others were sent or expired meanwhile."}
          </Text>
          <FailureAlert error={replaying.error} />
          <Group justify="flex-end" gap="sm">
            {replaying.isPending ? (
              <Button
                variant="default"
                ref={focus}
                onClick={() => {
                  stop.current.abort();
                  setStopped(true);
                }}
              >
                Stop
              </Button>
            ) : (
              <>
                {replaying.isError && (
                  <Button variant="default" onClick={start}>
                    Go on
                  </Button>
                )}
                <Button ref={focus} onClick={onClose}>
                  Done
                </Button>
              </>
            )}
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function titleOf(what: WhatToReplay): string {
  switch (what.kind) {
    case "all":
      return "Replay everything that failed?";
    case "group":
      return `Replay what failed with “${what.error}”?`;
    case "since":
      return "Replay what failed since a time?";
  }
}
