import { lazy, Suspense, useEffect, useEffectEvent, useState } from "react";
import { loadCode } from "../api/load-code.js";
import { hasDrafts } from "../forms/drafts.js";
import { refuseOffered, useSession } from "../session.js";
import { isNavigationGuarded } from "../ui/navigation-guard.js";
import { useLeave } from "./sign-out.js";
import { useEscape } from "./use-escape.js";

/** Loaded when one of them is needed; the service answers then, since it has refused or checked a token. */
const SessionDialogs = lazy(async () => ({
  default: (await loadCode(() => import("./session-dialogs.js"))).SessionDialogs,
}));

/** Handles the end of a session, and a token of another owner. */
export function SessionGuard() {
  const { isOver, isSignedOut, offered } = useSession();
  const leave = useLeave();
  const isKept = !isSignedOut || hasDrafts() || isNavigationGuarded();
  const leaveUnlessKept = useEffectEvent(() => {
    if (!isKept) void leave();
  });
  useEffect(() => {
    if (isSignedOut) leaveUnlessKept();
  }, [isSignedOut]);
  // Escape closes nothing under these dialogs.
  useEscape(isOver, () => {});
  useEscape(offered !== undefined, refuseOffered);
  const areNeeded = (isOver && isKept) || offered !== undefined;
  // They stay mounted afterwards, so that closing one can return the focus.
  const [wereNeeded, setWereNeeded] = useState(areNeeded);
  if (areNeeded && !wereNeeded) setWereNeeded(true);
  return (
    wereNeeded && (
      <Suspense>
        <SessionDialogs />
      </Suspense>
    )
  );
}
