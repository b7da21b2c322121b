import { lazy, Suspense, useEffect, useEffectEvent, useState } from "react";
import { loadCode } from "../api/load-code.js";
import { hasDrafts } from "../forms/drafts.js";
import { refuseOffered, useSession } from "../session.js";
import { isNavigationGuarded } from "../ui/navigation-guard.js";
import { useLeave } from "./sign-out.js";
import { useEscape } from "./use-escape.js";

/** Loaded when one of them is needed: the service answers then. */
const SessionDialogs = lazy(async () => ({
  default: (await loadCode(() => import("./session-dialogs.js"))).SessionDialogs,
}));

/** What a page does when its session ends, or when somebody else's token is given. */
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
  // Nothing under them closes.
  useEscape(isOver, () => {});
  useEscape(offered !== undefined, refuseOffered);
  const areNeeded = (isOver && isKept) || offered !== undefined;
  // Then they stay mounted, so that closing one can return the focus.
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
