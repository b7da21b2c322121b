import type { SealedSecret } from "./verb-shapes.js";

/** The part of the seam that is about keys: what they have sealed, and that they were there. */
export interface KeyStore {
  /** Every destination with its sealed credentials, if it has any, in the order of their ids, above `after`. */
  listSealedSecrets(after: string | undefined, limit: number): Promise<SealedSecret[]>;
  /**
   * The id of a key with which a stored webhook secret is sealed: the first one above `after`. In constant time.
   *
   * @returns undefined when there is none above
   */
  nextSealingKey(after: string): Promise<string | undefined>;
  /**
   * Notes that this database is used with a key file of the data folder, so that one that is missing later is not taken for
   * one that was never there.
   */
  noteKeyFile(name: string): Promise<void>;
  /** Whether the database was ever used with that key file. */
  hasKeyFile(name: string): Promise<boolean>;
  /** Replaces a sealed secret, or removes it when `to` is null. False when the webhook was set meanwhile, so that `from` is no longer stored. */
  resealSecret(destinationId: string, from: string, to: string | null): Promise<boolean>;
}
