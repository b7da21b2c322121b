import { withoutUsers } from "../../domain/events/erase-user.js";

/** An event that may name a user who is erased, and its newest revision, if it is a post that was edited. */
export interface NamingRow {
  eventKey: number;
  payload: string;
  eventType: string | null;
  edited: string | null;
}

/** What is written in its place. */
export interface ErasedNaming {
  eventKey: number;
  /** Left out when the event itself stays as it is. */
  payload?: string;
  /** The newest revision; left out when it stays, or there is none. */
  edited?: string;
  /** Whether the event was theirs; else it named them only. */
  isTheirs: boolean;
  /** A post that was theirs: its channel does not list it any more. */
  isGone: boolean;
  channelId?: string;
}

/** Undefined when the row names none of these users. */
export function erasedNaming(row: NamingRow, userIds: ReadonlySet<string>): ErasedNaming | undefined {
  const { eventKey, payload, eventType } = row;
  const event = withoutUsers(payload, eventType, userIds);
  const edit = row.edited === null ? undefined : withoutUsers(row.edited, eventType, userIds);
  if (!event && !edit) return undefined;
  const { channel_id: channelId } = JSON.parse(payload) as { channel_id?: unknown };
  const isTheirs = event?.isTheirs === true;
  const isGone = eventType === null && isTheirs;
  return {
    eventKey,
    isTheirs,
    isGone,
    ...(event && { payload: event.payload }),
    ...(edit && !isGone && { edited: edit.payload }),
    ...(typeof channelId === "string" && { channelId }),
  };
}
