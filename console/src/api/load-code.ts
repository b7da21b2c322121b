import { lazyRouteComponent } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

const RETRY_MS = 2_000;

/** Why a page's code is missing: the service does not answer, or it was updated and has other files now. */
export type MissingCode = "unreachable" | "replaced";

/** A page, or a part such as a dialog. */
type Code = "page" | "part";

let missing: Readonly<Partial<Record<Code, MissingCode>>> = {};
const listeners = new Set<() => void>();

/** A page whose code is loaded when it is first opened. Until then the previous page stays. */
export function pageOf<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadCode(load, "page"), name);
}

/** Loads code, and tries again while the service does not answer. */
export async function loadCode<Module>(load: () => Promise<Module>, code: Code = "part"): Promise<Module> {
  for (;;) {
    try {
      const module = await load();
      setMissing(code, undefined);
      return module;
    } catch (error) {
      setMissing(code, await whyMissing(error));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @returns undefined while no code is missing; missing code of a page counts only while the page is being opened */
export function useMissingCode(isOpeningPage: boolean): MissingCode | undefined {
  const { page, part } = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => missing,
  );
  return (isOpeningPage ? page : undefined) ?? part;
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

function setMissing(code: Code, why: MissingCode | undefined): void {
  if (missing[code] === why) return;
  missing = { ...missing, [code]: why };
  for (const listener of listeners) listener();
}
