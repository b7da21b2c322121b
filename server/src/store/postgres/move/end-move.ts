import { inTransaction } from "../connection/client.js";
import { endCapture } from "./capture.js";
import { adoptCopies, nameOwner } from "./copied-channels.js";
import { attachArrived, lockFeed, momentsOf, type NoteMove } from "./feed.js";
import { hintAllLanes, releaseLanes } from "./lanes-at-rest.js";
import { adoptGuests, emptyLogsOfGuests, hearAsGuests } from "./own-guests.js";
import {
  ARRIVING,
  hintMove,
  isDecided,
  isUndecided,
  LEFT,
  putRecord,
  readRecord,
  readRecords,
  removeRecord,
} from "./records.js";
import { arrivedDestinationKeys, clearAuditOf, eraseNamed, removeOwner } from "./removal.js";
import type { CellSession } from "./session.js";
import { nameGuests } from "./shared-channels.js";

/** Lets the owner in, unless that was done. First the directory has to know what comes before what they do there. */
export async function finish(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
  noteMove: NoteMove,
): Promise<void> {
  const records = await readRecords(from, to, ownerUserId);
  const { moveId = "", feedLog } = records.from ?? {};
  if (feedLog) await noteMove(moveId, { ownerUserId, ...(await momentsOf(from, to)) });
  if (!isDecided(records)) return;
  // First: by these names everything is found when the owner is erased.
  await nameGuests(from, ownerUserId);
  await nameOwner(to, ownerUserId);
  await inTransaction(to.client, async () => {
    await lockFeed(to);
    await adoptGuests(to, ownerUserId);
    if (await adoptCopies(to, ownerUserId)) await attachArrived(to, ownerUserId);
    await releaseLanes(to.client, ownerUserId);
    await removeRecord(to.client, ownerUserId, { moveId, state: ARRIVING });
  });
  await hintMove(to, ownerUserId);
  await hintAllLanes(to.client, ownerUserId);
}

/** Removes what is left of an owner who has left, apart from what the upkeep of the cell erases. */
export async function clearLeft(from: CellSession, ownerUserId: string): Promise<void> {
  await endCapture(from.client);
  const left = await readRecord(from.client, ownerUserId);
  if (!left?.feedLog) await eraseNamed(from, ownerUserId);
  await clearAuditOf(from, ownerUserId);
  await emptyLogsOfGuests(from, ownerUserId);
}

export async function abandonUndecided(
  from: CellSession,
  to: CellSession,
  ownerUserId: string,
): Promise<void> {
  const records = await readRecords(from, to, ownerUserId);
  if (isUndecided(records, from.name)) await abandon(from, to, ownerUserId);
}

export async function abandon(from: CellSession, to: CellSession, ownerUserId: string): Promise<void> {
  const records = await readRecords(from, to, ownerUserId);
  if (records.to?.state === ARRIVING) {
    const keys = await arrivedDestinationKeys(to.client, ownerUserId);
    await inTransaction(to.client, () => removeOwner(to.client, ownerUserId, keys));
    await eraseNamed(to, ownerUserId);
    await hearAsGuests(to, ownerUserId);
    await emptyLogsOfGuests(to, ownerUserId);
    // The owner may have lived there before: as before, nothing is made for them.
    await putRecord(to.client, ownerUserId, { ...records.to, state: LEFT });
  }
  await endCapture(from.client);
  await inTransaction(from.client, async () => {
    await releaseLanes(from.client, ownerUserId);
    const { from: leaving } = records;
    if (leaving) await removeRecord(from.client, ownerUserId, leaving);
  });
  await hintMove(from, ownerUserId);
  await hintAllLanes(from.client, ownerUserId);
}
