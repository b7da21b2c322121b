import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { noteSessionOver } from "../session.js";
import { isSignedOut } from "./failure.js";

/** How long data counts as fresh. */
const FRESH_MS = 3_000;

/** Called for every failure; a refused token ends the session. */
export function noteFailure(error: unknown): void {
  if (isSignedOut(error)) noteSessionOver();
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

/** Refetches all queries whose keys begin with these subjects, after a change that may affect them. */
export function refresh(...subjects: readonly (readonly string[])[]): Promise<unknown> {
  return Promise.all(subjects.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
