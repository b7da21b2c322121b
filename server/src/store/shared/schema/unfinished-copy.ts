/** Whether a database may be opened that `botyard copy` has begun to fill: only by the copy that continues it. */
export type UnfinishedCopy = "refused" | "expected";

/** @throws Error with one line when the database holds an unfinished copy, and must not */
export function refuseUnfinishedCopy(isThere: boolean, unfinishedCopy: UnfinishedCopy): void {
  if (!isThere || unfinishedCopy === "expected") return;
  throw new Error("the database holds an unfinished copy: run the same botyard copy again until it is done");
}
