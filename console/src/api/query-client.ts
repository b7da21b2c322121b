import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isSignedOut } from "./failure.js";

/** What was read stays good for so long without asking again. */
const FRESH_MS = 3_000;

const listeners = new Set<() => void>();

/** Hears when the service refuses the token: it expired, or its key was changed. */
export function onSignedOut(listener: () => void): void {
  listeners.add(listener);
}

/** To be told of every failure that no query and no mutation is behind. */
export function noteFailure(error: unknown): void {
  if (isSignedOut(error)) for (const listener of listeners) listener();
}

/** What the pages have read. The client of the SDK repeats requests itself, where that is safe. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  mutationCache: new MutationCache({ onError: noteFailure }),
  defaultOptions: {
    // "always": a service on this machine is there without any network.
    queries: { staleTime: FRESH_MS, retry: false, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});
