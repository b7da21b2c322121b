import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isSignedOut } from "./failure.js";

/** How long data counts as fresh. */
const FRESH_MS = 3_000;

const listeners = new Set<() => void>();

/** Called when the service refuses the token: it has expired, or its key was changed. */
export function onSignedOut(listener: () => void): void {
  listeners.add(listener);
}

/** Called for failures outside of queries and mutations. */
export function noteFailure(error: unknown): void {
  if (isSignedOut(error)) for (const listener of listeners) listener();
}

/** The data that the pages have read. The SDK's client repeats requests itself where that is safe. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  mutationCache: new MutationCache({ onError: noteFailure }),
  defaultOptions: {
    // "always": a service on this machine can be reached without a network.
    queries: { staleTime: FRESH_MS, retry: false, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});
