import { Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isGone } from "../api/failure.js";
import { FailureAlert } from "./failure-alert.js";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** Lines of the placeholder. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

/**
 * A query's data, a placeholder before it arrives, or its failure. Old data stays during a failure, unless the item was
 * deleted.
 */
export function Loaded<Data>({ query, lines = 4, children }: LoadedProps<Data>) {
  if (query.data !== undefined && !isGone(query.error)) return children(query.data);
  if (query.isError)
    return <FailureAlert error={query.error} of="read" onRetry={() => void query.refetch()} />;
  return <Placeholder lines={lines} />;
}

export function Placeholder({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={22} radius="sm" />
      ))}
    </Stack>
  );
}
