/**
 * The owner token of this tab. It is kept in sessionStorage: removed with the tab, and no other site can read it. A new tab
 * asks the other tabs of this browser for theirs; nothing else is stored.
 */
import { useSyncExternalStore } from "react";
import { type Owner, ownerOf } from "./owner-token.js";

const STORED_AS = "botyard.owner-token";
const IN_ADDRESS = "token";
/** Long enough for a busy tab to answer; a new tab shows the sign-in page after it. */
const OTHER_TABS_MS = 300;

/** What the pages show of the session. */
export interface Session {
  owner: Owner | undefined;
  /** Whether the service refused the token: the page stays, and asks for another. */
  isOver: boolean;
  /** The owner of a link that was opened while somebody else is signed in. */
  offered: Owner | undefined;
}

/** What tabs tell each other. */
type Message = { asks: true } | { token: string };

let isOver = false;
let offeredToken: string | undefined;
let session = read();
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel("botyard.session");

tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  const token = currentToken();
  if ("asks" in data) {
    if (token !== undefined && !isOver) tabs.postMessage({ token } satisfies Message);
  } else if (isOver && ownerOf(data.token)?.userId === session.owner?.userId) {
    // The owner has signed in again in another tab.
    startSession(data.token);
  }
});

/**
 * Takes a token from the fragment (`#token=…`). The URL is replaced at once, so that the token is not bookmarked,
 * shared or left in the history. While somebody else is signed in, it is only offered.
 */
export function takeTokenFromAddress(): void {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get(IN_ADDRESS);
  if (token === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  const owner = ownerOf(token);
  if (!owner) return;
  const current = session.owner;
  if (current === undefined || current.userId === owner.userId || hasExpired(current))
    return startSession(token);
  offeredToken = token;
  changed();
}

/** Whether another tab of this browser has a session; this tab then has it too. */
export function takeSessionOfOtherTab(): Promise<boolean> {
  return new Promise((resolve) => {
    const take = ({ data }: MessageEvent<Message>) => {
      if (!("token" in data) || ownerOf(data.token) === undefined) return;
      startSession(data.token);
      end(true);
    };
    const end = (isTaken: boolean) => {
      clearTimeout(timer);
      tabs.removeEventListener("message", take);
      resolve(isTaken);
    };
    const timer = setTimeout(end, OTHER_TABS_MS, false);
    tabs.addEventListener("message", take);
    tabs.postMessage({ asks: true } satisfies Message);
  });
}

/** @returns undefined while nobody is signed in */
export function currentToken(): string | undefined {
  return sessionStorage.getItem(STORED_AS) ?? undefined;
}

/** The token for a request. Once the session is over, requests wait until the owner has signed in again. */
export async function nextToken(): Promise<string> {
  while (isOver) await new Promise<void>((resolve) => onNextChange(resolve));
  // The answer to a request without a token is 401, which leads to the sign-in page.
  return currentToken() ?? "none";
}

export function startSession(token: string): void {
  sessionStorage.setItem(STORED_AS, token);
  isOver = false;
  offeredToken = undefined;
  changed();
  tabs.postMessage({ token } satisfies Message);
}

/** Takes the token of the link that was opened. */
export function takeOffered(): void {
  if (offeredToken !== undefined) startSession(offeredToken);
}

export function refuseOffered(): void {
  offeredToken = undefined;
  changed();
}

/** The service has refused the token. */
export function noteSessionOver(): void {
  if (isOver || currentToken() === undefined) return;
  isOver = true;
  show({ ...session, isOver });
}

export function endSession(): void {
  sessionStorage.removeItem(STORED_AS);
  isOver = false;
  changed();
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}

function read(): Session {
  const token = currentToken();
  return {
    owner: token === undefined ? undefined : ownerOf(token),
    isOver,
    offered: offeredToken === undefined ? undefined : ownerOf(offeredToken),
  };
}

function changed(): void {
  show(read());
}

function show(now: Session): void {
  session = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function onNextChange(listener: () => void): void {
  const unsubscribe = subscribe(() => {
    unsubscribe();
    listener();
  });
}

function hasExpired({ expiresAt = Number.POSITIVE_INFINITY }: Owner): boolean {
  return expiresAt <= Date.now();
}
