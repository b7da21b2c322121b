import type { Update } from "@botyard/sdk";

/** What people know an update by: the text of its post. */
export function excerptOf({ event_type: type, payload }: Update): string {
  const { body } = payload;
  return typeof body === "string" ? body : type;
}
