import { Alert, Badge, Button, Group, Loader, Text } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { describeFailure } from "../../api/failure.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { PauseIcon, PlayIcon } from "../../ui/icons.js";
import { count, formatted } from "../../ui/numbers.js";
import { Panel } from "../../ui/panel.js";
import { useBotId } from "./bot-id.js";
import { LiveList } from "./live/live-list.js";
import { NothingCameYet } from "./live/nothing-came-yet.js";
import { followTail, NO_TAIL, type Tail } from "./live/tail.js";
import { UpdateDrawer } from "./updates/update-drawer.js";
import { useDrawer } from "./updates/use-drawer.js";

/** A bot's updates as they are recorded, newest first. */
export function LivePage() {
  const botId = useBotId();
  return <LiveUpdates key={botId} botId={botId} />;
}

function LiveUpdates({ botId }: { botId: string }) {
  const { update } = useSearch({ from: "/signed-in/bots/$botId/live" });
  const drawer = useDrawer();
  const [tail, setTail] = useState(NO_TAIL);
  /** The view that is shown while paused. Updates meanwhile are not lost. */
  const [held, setHeld] = useState<Tail>();
  useEffect(() => followTail(botId, setTail), [botId]);
  const { updates, count: shown } = held ?? tail;
  return (
    <Panel
      title="Live updates"
      description="The bot's updates as they are recorded, newest first."
      actions={
        <Group gap="sm">
          <Connection tail={tail} isHeld={held !== undefined} />
          <Button
            variant={held ? "filled" : "default"}
            leftSection={held ? <PlayIcon size={16} /> : <PauseIcon size={16} />}
            onClick={() => setHeld(held ? undefined : tail)}
          >
            {held ? continueWith(tail.count - held.count) : "Pause"}
          </Button>
        </Group>
      }
    >
      <Interruption tail={tail} />
      {updates.length === 0 && tail.connection === "open" && <NothingCameYet botId={botId} />}
      {updates.length > 0 && <LiveList updates={updates} onOpen={drawer.open} />}
      {shown > updates.length && (
        <Text size="sm" c="dimmed">
          The newest {formatted(updates.length)} of {count(shown, "update")} since this page was opened. All
          of them are under Updates.
        </Text>
      )}
      <UpdateDrawer botId={botId} updateId={update} onClose={drawer.close} />
    </Panel>
  );
}

function continueWith(missed: number): string {
  return missed === 0 ? "Continue" : `Continue with ${formatted(missed)} more`;
}

function Connection({ tail: { connection }, isHeld }: { tail: Tail; isHeld: boolean }) {
  const [word, color] =
    connection === "lost"
      ? ["Interrupted", "orange"]
      : connection === "opening"
        ? ["Connecting", "gray"]
        : isHeld
          ? ["Paused", "yellow"]
          : ["Live", "teal"];
  return (
    <Badge color={color} role="status">
      {word}
    </Badge>
  );
}

/** Why no updates arrive, and whether it reconnects by itself. */
function Interruption({ tail: { connection, error, updates } }: { tail: Tail }) {
  if (connection !== "lost") return null;
  const { title, isPassing } = describeFailure(error, "repeated read");
  if (!isPassing) return <FailureAlert error={error} of="read" />;
  const last = updates[0]?.update_id;
  return (
    <Alert color="orange" title={title} role="status" icon={<Loader size={18} color="orange" />}>
      Reconnecting automatically.{" "}
      {last !== undefined && `It continues after update ${last}; no update is skipped.`}
    </Alert>
  );
}
