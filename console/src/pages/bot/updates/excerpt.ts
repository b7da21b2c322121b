import type { Update } from "@botyard/sdk";

/** An update's title: the beginning of its post. */
export function excerptOf({ event_type: type, payload }: Update): string {
  const { body } = payload;
  return typeof body === "string" ? body : type;
}
