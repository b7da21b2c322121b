import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";

const RETRY_MS = 3_000;

/** Repeats a failed read: as soon as any other request succeeds, and at intervals while there are no other requests. */
export function ReadAgain({ read }: { read: () => void }): null {
  const client = useQueryClient();
  const again = useEffectEvent(() => {
    if (document.visibilityState === "visible") read();
  });
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const onEvent = (event: { type: string; action?: { type: string } }) => {
      if (event.type !== "updated" || event.action?.type !== "success") return;
      // Not immediately: the request that succeeded may be this read itself; then this component is removed first.
      clearTimeout(soon);
      soon = setTimeout(again, 0);
    };
    const stops = [client.getQueryCache().subscribe(onEvent), client.getMutationCache().subscribe(onEvent)];
    const timer = setInterval(again, RETRY_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      for (const stop of stops) stop();
    };
  }, [client]);
  return null;
}
