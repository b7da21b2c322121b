import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { loadCode } from "../api/load-code.js";
import { useSession } from "../session.js";
import { isNavigationGuarded } from "../ui/navigation-guard.js";
import { useEscape } from "./use-escape.js";
import { whenIdle } from "./when-idle.js";

const load = () => import("./find-dialog.js");
const FindDialog = lazy(async () => ({ default: (await loadCode(load)).FindDialog }));

/** Ctrl-K, and the button for it. Not while the session is over or something is open that must not be left. */
export function useFind(onSignOut: () => void): [open: () => void, dialog: ReactNode] {
  const [isFinding, finding] = useDisclosure();
  const { isOver, offered } = useSession();
  const isBelowOthers = isOver || offered !== undefined;
  const focusedBefore = useRef<Element | null>(null);
  const open = () => {
    if (isBelowOthers || isNavigationGuarded()) return;
    focusedBefore.current = document.activeElement;
    finding.open();
  };
  useHotkeys([["mod+K", isFinding && !isBelowOthers ? finding.close : open]], []);
  // Loaded ahead: it also opens while the service does not answer.
  useEffect(() => whenIdle(() => void load().catch(() => {})), []);
  useEscape(isFinding, finding.close);
  useEffect(() => {
    // The dialog, which trapped the focus, is closed by then.
    if (!isFinding && focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
  }, [isFinding]);
  const dialog = isFinding && (
    <Suspense>
      <FindDialog onClose={finding.close} onSignOut={onSignOut} />
    </Suspense>
  );
  return [open, dialog];
}
