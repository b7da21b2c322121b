import { Button, Group, Loader, Text } from "@mantine/core";
import { type Query, useQueryClient } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { describeFailure } from "../api/failure.js";
import { useMissingCode } from "../api/load-code.js";
import { ReadAgain } from "../api/read-again.js";
import { PassingNotice } from "../ui/passing-notice.js";

/**
 * A notice while the page may show old data because reading fails temporarily, or a page cannot be opened because
 * its code is not there. It disappears by itself.
 */
export function ServiceNotice() {
  const missing = useMissingCode(useRouterState({ select: ({ isLoading }) => isLoading }));
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const failing = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.getAll().find(isOutOfDate),
  );
  if (missing === "replaced") return <Replaced />;
  if (missing) {
    return (
      <Notice title="That page cannot be opened now">
        The service does not answer. Trying again until it does; then the page opens by itself.
      </Notice>
    );
  }
  const failure = failing && describeFailure(failing.state.error, "repeated read");
  if (!failure?.isPassing) return null;
  const readAgain = () =>
    void client.refetchQueries({ predicate: isOutOfDate, type: "active" }, { cancelRefetch: false });
  return (
    <Notice title={failure.title}>
      <ReadAgain read={readAgain} />
      {failure.message} What you see may be out of date.
    </Notice>
  );
}

/** Not for a list of which only the next page failed, which shows that itself. */
function isOutOfDate(query: Query): boolean {
  const { error, data, fetchMeta } = query.state;
  return error !== null && data !== undefined && query.isActive() && !fetchMeta?.["fetchMore"];
}

function Notice({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <PassingNotice title={title} icon={<Loader size={18} color="orange" />}>
      {children}
    </PassingNotice>
  );
}

/** The service was updated: the files that this page knows are gone. */
function Replaced() {
  return (
    <PassingNotice title="The console was updated" color="blue">
      <Group justify="space-between" gap="sm">
        <Text size="sm">That page is part of the new version: reload to open it.</Text>
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Group>
    </PassingNotice>
  );
}
