/**
 * The part of the store that tells owners of their webhooks. What happens to a webhook waits in a table until an upkeep step appends it to
 * the logs of those who hear of it, since logs of other bots must not be locked where it happens.
 */
export interface AlertStore {
  /**
   * The id of the log of an owner's alerts, which its webhook has too: verbs of webhooks take it in place of a bot's.
   *
   * @returns undefined while the owner has none
   */
  findAlertLog(ownerUserId: string): Promise<string | undefined>;
  /** The same; made with this id if there is none. */
  openAlertLog(ownerUserId: string, id: string): Promise<string>;
  /** Removes the log, unless its webhook is set; upkeep erases what was in it. Alerts of the owner that wait are removed. */
  removeAlertLog(ownerUserId: string): Promise<void>;
}
