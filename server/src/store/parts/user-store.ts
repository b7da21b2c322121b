import type { Audited } from "./audit-store.js";
import type { ChannelRef } from "./verb-shapes.js";

/** The part of the store for users of a product: of whom owners and the platform have told by an id of their own. */
export interface UserStore {
  /** Direct channels for a user, of any owners, oldest first. */
  listUserChannels(userId: string, limit: number): Promise<ChannelRef[]>;
  /**
   * Has the upkeep erase a user from all events: what was written in their name, their interactions, and that others answered them. It covers
   * everything that was stored before the call, and at most what is stored until it has ended. It is done once more {@link ERASED_AGAIN_AFTER_MS}
   * later, for what was read before the call and stored after: an answer names whom it answers.
   *
   * @returns true when it has ended for the first time since an earlier call, which is then forgotten; also while the caller waited
   */
  eraseUser(userId: string, by?: UserErasure): Promise<boolean>;
}

export interface UserErasure extends Audited {
  /** Whether the caller was told before that it has not ended: one that has ended since is not begun anew, whoever was told of that. */
  isAskedAgain?: boolean;
}

/** How long it is remembered that the erasure of a user has ended: for whoever asks again. */
export const USER_ERASURE_KEPT_MS = 15 * 60_000;
/** Longer than any request takes. */
export const ERASED_AGAIN_AFTER_MS = 5 * 60_000;
/** Users that one walk over all events erases. Others wait for the next. */
export const USERS_PER_WALK = 50;
/** Events that one step looks at for one user; for more users fewer. About 5 ms, most of them for the texts to be searched. */
const EVENTS_PER_STEP = 5_000;
const TEXTS_PER_STEP = 25_000;
/** Events that one step erases at most; each has up to 40 KB. */
export const ERASED_PER_STEP = 100;

export function eventsPerStep(users: number): number {
  return Math.min(EVENTS_PER_STEP, Math.ceil(TEXTS_PER_STEP / users));
}
