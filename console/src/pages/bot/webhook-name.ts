import { useSearch } from "@tanstack/react-router";

/** The webhook in the URL; undefined for the one named `default`. */
export function useWebhookName(): string | undefined {
  return useSearch({ strict: false }).webhook;
}
