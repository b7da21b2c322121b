import { Alert, Loader } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { describeFailure } from "../api/failure.js";

/**
 * A notice while the page may show old data because reading fails temporarily. It disappears
 * with the first answer.
 */
export function ServiceNotice() {
  const cache = useQueryClient().getQueryCache();
  const failing = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache
        .getAll()
        .find(({ state, isActive }) => state.error !== null && state.data !== undefined && isActive),
  );
  const failure = failing && describeFailure(failing.state.error);
  if (!failure?.isPassing) return null;
  return (
    <Alert
      color="orange"
      title={failure.title}
      mb="lg"
      role="status"
      icon={<Loader size={18} color="orange" />}
    >
      {failure.message} What you see may be out of date.
    </Alert>
  );
}
