/**
 * The owner token of this tab. It is kept in sessionStorage: removed with the tab, and no other site can read it. A new tab
 * asks the other tabs of this browser for theirs; nothing else is stored.
 */
import { useSyncExternalStore } from "react";
import { type Owner, ownerOf } from "./owner-token.js";

const STORED_AS = "botyard.owner-token";
/** The user who has signed out in this tab. The tab then asks no other tab for a session, also not for another owner's. */
const SIGNED_OUT = "botyard.signed-out";
const IN_ADDRESS = "token";
/** Long enough for a busy tab to answer; a new tab shows the sign-in page after it. */
const OTHER_TABS_MS = 300;

/** The state of the session that pages show. */
export interface Session {
  owner: Owner | undefined;
  /** Whether the token was refused, or the owner has signed out: the page stays and asks for a new token. */
  isOver: boolean;
  /** Whether it is over because the owner has signed out in another tab. */
  isSignedOut: boolean;
  /** The owner of a token that was offered while another owner is signed in. */
  offered: Owner | undefined;
}

/** Messages between tabs. */
type Message = { asks: true } | { token: string } | { signedOut: string };

const stored = currentToken();
let session: Session = {
  owner: stored === undefined ? undefined : ownerOf(stored),
  isOver: false,
  isSignedOut: false,
  offered: undefined,
};
let offeredToken: string | undefined;
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel("botyard.session");

tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  const { owner, isOver } = session;
  if ("asks" in data) {
    const token = currentToken();
    if (token !== undefined && !isOver) tell({ token });
  } else if ("signedOut" in data) {
    if (owner?.userId !== data.signedOut) return;
    forgetToken(data.signedOut);
    change({ isOver: true, isSignedOut: true });
  } else {
    const userId = ownerOf(data.token)?.userId;
    // The owner has signed in again in another tab.
    if (sessionStorage.getItem(SIGNED_OUT) === userId) sessionStorage.removeItem(SIGNED_OUT);
    if (isOver && userId === owner?.userId) startSession(data.token);
  }
});

/**
 * Takes a token from the fragment (`#token=…`). The URL is replaced at once, so that the token is not bookmarked,
 * shared or left in the history. While somebody else is signed in, it is only offered.
 */
export function takeTokenFromAddress(event?: HashChangeEvent): void {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get(IN_ADDRESS);
  if (token === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  const owner = ownerOf(token);
  if (!owner) return;
  const current = session.owner;
  const isTaken = current !== undefined && current.userId !== owner.userId;
  // A page that was just opened shows no data yet of an owner whose session has expired.
  if (isTaken && (event !== undefined || !hasExpired(current))) offerSession(token);
  else startSession(token);
}

/** Whether another tab of this browser has a session; this tab then has it too. */
export function takeSessionOfOtherTab(): Promise<boolean> {
  if (sessionStorage.getItem(SIGNED_OUT) !== null) return Promise.resolve(false);
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
    tell({ asks: true });
  });
}

/** @returns undefined while nobody is signed in */
function currentToken(): string | undefined {
  return sessionStorage.getItem(STORED_AS) ?? undefined;
}

/** Whether an owner's pages are open, also when the session is over and a dialog covers them. */
export function isSignedIn(): boolean {
  return currentToken() !== undefined || session.isOver;
}

/** The token for a request. Once the session is over, requests wait until the owner has signed in again. */
export async function nextToken(): Promise<string> {
  while (session.isOver) await new Promise<void>((resolve) => onNextChange(resolve));
  // The answer to a request without a token is 401, which leads to the sign-in page.
  return currentToken() ?? "none";
}

export function startSession(token: string): void {
  sessionStorage.setItem(STORED_AS, token);
  sessionStorage.removeItem(SIGNED_OUT);
  offeredToken = undefined;
  change({ owner: ownerOf(token), isOver: false, isSignedOut: false, offered: undefined });
  tell({ token });
}

/** Offers a token of another owner; the signed-in owner is asked. */
export function offerSession(token: string): void {
  offeredToken = token;
  change({ offered: ownerOf(token) });
}

/** Takes the token that was offered. */
export function takeOffered(): void {
  if (offeredToken !== undefined) startSession(offeredToken);
}

export function refuseOffered(): void {
  offeredToken = undefined;
  change({ offered: undefined });
}

/** The service has refused the token. */
export function noteSessionOver(): void {
  if (currentToken() !== undefined && !session.isOver) change({ isOver: true });
}

/** Signs out, in the other tabs of this owner too. */
export function endSession(): void {
  const { owner, isSignedOut } = session;
  forgetToken(owner?.userId);
  change({ owner: undefined, isOver: false, isSignedOut: false });
  // Not a second time: owners of other tabs may have signed in again since.
  if (owner && !isSignedOut) tell({ signedOut: owner.userId });
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}

function forgetToken(userId = ""): void {
  sessionStorage.removeItem(STORED_AS);
  sessionStorage.setItem(SIGNED_OUT, userId);
}

function tell(message: Message): void {
  tabs.postMessage(message);
}

function change(changed: Partial<Session>): void {
  session = { ...session, ...changed };
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
