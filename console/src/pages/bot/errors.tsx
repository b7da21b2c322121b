import type { WebhookErrorEntry } from "@botyard/sdk";
import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../../api/queries.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { CheckIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { count } from "../../ui/numbers.js";
import { Panel } from "../../ui/panel.js";
import { useBotId } from "./bot-id.js";
import { ErrorList } from "./errors/error-list.js";
import { ReplayAll } from "./errors/replay-all.js";
import { ReplayButton } from "./replay.js";
import { UpdateDrawer } from "./updates/update-drawer.js";

/** The largest number of updates that one call replays. */
const MAX_REPLAY = 100;

/** Every update with a failed attempt: the error, the number of attempts, and replay. */
export function ErrorsPage() {
  const botId = useBotId();
  const { update } = useSearch({ from: "/signed-in/bots/$botId/errors" });
  const navigate = useNavigate({ from: "/bots/$botId/errors" });
  const errors = useInfiniteQuery(queries.errors(botId));
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const all = errors.data?.pages.flat() ?? [];
  const replayable = all.filter(isReplayable).map(({ update_id: id }) => id);
  const chosen = replayable.filter((id) => picked.has(id)).slice(0, MAX_REPLAY);
  const open = (updateId?: number) =>
    void navigate({ search: updateId === undefined ? {} : { update: updateId }, resetScroll: false });
  return (
    <Panel
      title="Errors"
      description="Updates with at least one failed attempt, including those delivered since."
      actions={all.length > 0 && <ReplayAll botId={botId} isNeeded={replayable.length > 0} />}
    >
      <Loaded query={errors} lines={8}>
        {() =>
          all.length === 0 ? (
            <NothingYet icon={<CheckIcon />} title="Nothing has failed">
              Updates that a receiver refuses or does not answer in time are listed here with the reason.
            </NothingYet>
          ) : (
            <Stack gap="md">
              {replayable.length > 0 && (
                <Group gap="md">
                  <Checkbox
                    label="Select all undelivered"
                    checked={chosen.length > 0 && chosen.length === Math.min(replayable.length, MAX_REPLAY)}
                    indeterminate={
                      chosen.length > 0 && chosen.length < Math.min(replayable.length, MAX_REPLAY)
                    }
                    onChange={({ currentTarget: { checked } }) =>
                      setPicked(new Set(checked ? replayable.slice(0, MAX_REPLAY) : []))
                    }
                  />
                  {chosen.length > 0 && (
                    <ReplayButton botId={botId} updateIds={chosen} size="xs">
                      Replay {count(chosen.length, "update")}
                    </ReplayButton>
                  )}
                  {replayable.length > MAX_REPLAY && (
                    <Text size="sm" c="dimmed">
                      {MAX_REPLAY} at a time
                    </Text>
                  )}
                </Group>
              )}
              <ErrorList
                errors={all}
                isReplayable={isReplayable}
                picked={picked}
                onPick={(id) => setPicked(toggled(picked, id))}
                onOpen={open}
              />
              {errors.isFetchNextPageError && <FailureAlert error={errors.error} />}
              {errors.hasNextPage && (
                <Group justify="center">
                  <Button
                    variant="default"
                    loading={errors.isFetchingNextPage}
                    onClick={() => void errors.fetchNextPage()}
                  >
                    Show older errors
                  </Button>
                </Group>
              )}
            </Stack>
          )
        }
      </Loaded>
      <UpdateDrawer botId={botId} updateId={update} onClose={() => open()} />
    </Panel>
  );
}

function isReplayable({ state }: WebhookErrorEntry): boolean {
  return state === "failed" || state === "scheduled";
}

function toggled(picked: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const others = new Set(picked);
  if (!others.delete(id)) others.add(id);
  return others;
}
