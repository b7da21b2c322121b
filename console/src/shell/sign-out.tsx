import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { loadCode } from "../api/load-code.js";
import { forgetDrafts, hasDrafts } from "../forms/drafts.js";
import { endSession, useSession } from "../session.js";
import { whenIdle } from "./when-idle.js";

/** Loaded when something half written would be lost. */
const Confirm = lazy(async () => ({
  default: (await loadCode(() => import("../ui/confirm.js"))).Confirm,
}));

/** Ends the session in this tab and, unless it is over already, in the owner's others. What is half written is lost. */
export function useLeave(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    endSession();
    await navigate({ to: "/sign-in", ignoreBlocker: true });
    queryClient.clear();
    forgetDrafts();
  };
}

/** Signing out, and the question that it asks first while something is half written. */
export function useSignOut(): [signOut: () => void, question: ReactNode] {
  const { owner } = useSession();
  const leave = useLeave();
  // Loaded ahead: then signing out hides the page also while the service does not answer.
  useEffect(() => whenIdle(() => void import("../pages/sign-in.js").catch(() => {})), []);
  const [isAsking, asking] = useDisclosure();
  const signOut = () => {
    if (hasDrafts()) asking.open();
    else void leave();
  };
  const question = isAsking && (
    <Suspense>
      <Confirm opened onClose={asking.close} title="Sign out?" confirm="Sign out" onConfirm={leave}>
        What {owner?.name} has half written in this tab is lost.
      </Confirm>
    </Suspense>
  );
  return [signOut, question];
}
