import { InvalidInput } from "../../domain/errors.js";
import type { TrackedUpdate } from "../../domain/events/update.js";
import type { Store, WebhookRef } from "../../store/store.js";
import { found, foundWebhook } from "../found.js";
import { findUpdate } from "../logs/find-update.js";

/**
 * Gives up an update that waits to be sent: it has failed for good, as after its last attempt, and can be replayed. All others
 * are sent as before. An attempt that is in flight may still deliver it.
 *
 * @throws InvalidInput when it is neither pending nor scheduled
 * @throws NotFound
 */
export async function skipUpdate(store: Store, ref: WebhookRef, updateId: number): Promise<TrackedUpdate> {
  const destinationId = foundWebhook(await store.findDestination(ref), ref);
  const isSkipped = found(await store.skipUpdate(ref, updateId, Date.now()), "update");
  const update = found(await findUpdate(store, destinationId, updateId), "update");
  if (!isSkipped) {
    throw new InvalidInput(
      `update ${updateId} is ${update.state}: only what is pending or scheduled can be skipped`,
      "not_waiting",
    );
  }
  return update;
}
