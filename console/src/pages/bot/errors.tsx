import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../../api/queries.js";
import { CheckIcon, ReplayIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { Panel } from "../../ui/panel.js";
import { useBotId } from "./bot-id.js";
import { ErrorGroups } from "./errors/error-groups.js";
import { Mended } from "./errors/mended.js";
import { ReplayDialog } from "./errors/replay-dialog.js";
import type { WhatToReplay } from "./errors/replaying.js";
import { Undelivered, useUndelivered } from "./errors/undelivered.js";
import { Waiting, waitingOf } from "./errors/waiting.js";
import { UpdateDrawer } from "./updates/update-drawer.js";
import { useDrawer } from "./updates/use-drawer.js";
import { WebhookChoice } from "./webhook-choice.js";
import { useWebhookName } from "./webhook-name.js";

/** What waits, undelivered failures by cause and one by one, and replay of all or some of them. */
export function ErrorsPage() {
  const botId = useBotId();
  const { update } = useSearch({ from: "/signed-in/bots/$botId/errors" });
  const drawer = useDrawer();
  const { ids } = useUndelivered(botId, update !== undefined);
  const webhook = useWebhookName();
  const overview = useQuery(queries.bot(botId));
  const groups = useQuery({ ...queries.errorGroups(botId, webhook), enabled: webhook !== undefined });
  const [replaying, setReplaying] = useState<WhatToReplay>();
  return (
    <>
      <Loaded query={overview} lines={8}>
        {(overview) => {
          const isDefault = webhook === undefined;
          const failures = isDefault
            ? overview.terminal_failed_updates + overview.scheduled_retries
            : (groups.data?.items ?? []).reduce((sum, { failed, scheduled }) => sum + failed + scheduled, 0);
          const waiting = isDefault ? waitingOf(overview.state) : 0;
          return (
            <Panel
              title="Not delivered"
              description="Updates whose last attempt failed, by the reason, and how many wait."
              actions={
                <Group gap="xs">
                  <WebhookChoice botId={botId} />
                  <Button
                    variant="default"
                    disabled={failures === 0}
                    onClick={() => setReplaying({ kind: "since" })}
                  >
                    Replay since …
                  </Button>
                  <Button
                    leftSection={<ReplayIcon size={16} />}
                    disabled={failures === 0}
                    onClick={() => setReplaying({ kind: "all", total: failures })}
                  >
                    Replay all
                  </Button>
                </Group>
              }
            >
              {isDefault && <Waiting overview={overview} />}
              {failures > 0 && (
                <>
                  <ErrorGroups
                    botId={botId}
                    onReplay={(error, total) => setReplaying({ kind: "group", error, total })}
                    onOpen={drawer.open}
                  />
                  <Undelivered botId={botId} onOpen={drawer.open} />
                </>
              )}
              {failures + waiting === 0 && !groups.isLoading && (
                <NothingYet icon={<CheckIcon />} title="Everything is delivered">
                  Updates that a receiver refuses or does not answer in time are listed here with the reason.
                </NothingYet>
              )}
            </Panel>
          );
        }}
      </Loaded>
      <Mended botId={botId} onOpen={drawer.open} />
      {replaying && <ReplayDialog botId={botId} what={replaying} onClose={() => setReplaying(undefined)} />}
      <UpdateDrawer
        botId={botId}
        updateId={update}
        onClose={drawer.close}
        onOpen={drawer.open}
        listed={ids}
      />
    </>
  );
}
