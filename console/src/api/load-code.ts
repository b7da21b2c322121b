import { lazyRouteComponent } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

const RETRY_MS = 2_000;

/** Why a page's code is missing: the service does not answer, or it is another version by now that has other files. */
export type MissingCode = "unreachable" | "replaced";

let missing: MissingCode | undefined;
const listeners = new Set<() => void>();

/** A page whose code is loaded when it is first opened. Until it is there, the page before stays. */
export function pageOf<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadCode(load), name);
}

/** Loads code, again and again while the service does not answer. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      const module = await load();
      setMissing(undefined);
      return module;
    } catch (error) {
      setMissing(await whyMissing(error));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @returns undefined while no code is missing */
export function useMissingCode(): MissingCode | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => missing,
  );
}

/** The message of a browser names the file. */
async function whyMissing(error: unknown): Promise<MissingCode> {
  const [url] = /https?:\/\/\S+/.exec(String(error)) ?? [];
  if (url === undefined) return "unreachable";
  try {
    const { status } = await fetch(url, { method: "HEAD" });
    return status === 404 ? "replaced" : "unreachable";
  } catch {
    return "unreachable";
  }
}

function setMissing(now: MissingCode | undefined): void {
  if (missing === now) return;
  missing = now;
  for (const listener of listeners) listener();
}
