import { VisuallyHidden } from "@mantine/core";
import { useSyncExternalStore } from "react";

/** Announces the new page to screen readers, as a browser does when it loads one. Each page, and each tab of it, has a title. */
export function RouteAnnouncer() {
  const title = useSyncExternalStore(onTitle, () => document.title);
  return (
    <VisuallyHidden aria-live="polite" data-testid="announcer">
      {title}
    </VisuallyHidden>
  );
}

function onTitle(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
  return () => observer.disconnect();
}
