import { notifications } from "@mantine/notifications";
import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";

/** Dialogs that are open and must not be left. */
let guards = 0;

/** Whether something is open that must not be left: it would be lost, or continue without control. */
export function isNavigationGuarded(): boolean {
  return guards > 0;
}

/**
 * While it is active, links and "back" only show the reason, Ctrl-K does not open, and the browser asks before the tab
 * is closed or reloaded. Code that leaves on purpose navigates with `ignoreBlocker`.
 */
export function useNavigationGuard(isActive: boolean, reason: string): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const isSamePage =
        current.pathname === next.pathname && JSON.stringify(current.search) === JSON.stringify(next.search);
      // Only the fragment differs: a link with a token, opened here.
      if (isSamePage) return false;
      // The id prevents a second notification when "back" is pressed again.
      notifications.show({ id: reason, color: "orange", message: reason });
      return true;
    },
    enableBeforeUnload: true,
    disabled: !isActive,
  });
  useEffect(() => {
    if (!isActive) return;
    guards += 1;
    return () => {
      guards -= 1;
    };
  }, [isActive]);
}
