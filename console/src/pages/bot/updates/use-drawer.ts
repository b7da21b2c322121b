import { useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import type { OpenUpdate } from "../../search-params.js";

/**
 * Opens and closes the drawer through the URL. Opening adds an entry to the history and closing goes back over it, so that
 * "back" leads to the page before and not through each drawer.
 */
export function useDrawer(): { open: (updateId: number) => void; close: () => void } {
  const navigate = useNavigate();
  const { history } = useRouter();
  const wasOpenedHere = useRef(false);
  const show = useCallback(
    (update: number | undefined, replace: boolean) =>
      void navigate({
        to: ".",
        search: (search: OpenUpdate) => ({ ...search, update }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  const open = useCallback(
    (updateId: number) => {
      const isOpen = new URLSearchParams(window.location.search).has("update");
      show(updateId, isOpen);
      wasOpenedHere.current ||= !isOpen;
    },
    [show],
  );
  const close = useCallback(() => {
    if (wasOpenedHere.current) history.back();
    else show(undefined, true);
    wasOpenedHere.current = false;
  }, [history, show]);
  return { open, close };
}
