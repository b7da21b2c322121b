/** Something that was deleted, and of which rows are left. */
export interface Remains {
  ownerUserId: string;
  kind: "post" | "channel" | "bot";
  key: number;
}

/** A stored event whose text is about to be erased. */
export interface ErasedRow {
  eventKey: number;
  payload: string;
  eventType?: string | null;
}

/** Erases edits of a deleted post. @returns whether there may be more */
export type EraseEdits = (postKey: number, limit: number) => Promise<boolean>;
