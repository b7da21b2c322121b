import { VisuallyHidden } from "@mantine/core";
import { useEffect, useState } from "react";

/** Announces the new page to screen readers, as a browser does when it loads one. Each page sets its title. */
export function RouteAnnouncer() {
  const [title, setTitle] = useState("");
  useEffect(() => {
    const observer = new MutationObserver(() => setTitle(document.title));
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, []);
  return <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>;
}
