import type { DeliveryState, Timeline } from "../types.js";
import type { RequestOptions } from "./connection.js";

/** How many items, 1 to 100. 100 unless given. */
export interface LimitOptions extends RequestOptions {
  limit?: number;
}

export interface ListErrorsOptions extends LimitOptions {
  /** Extension: only updates numbered below it. */
  before?: number | undefined;
}

export interface ListUpdatesOptions extends ListErrorsOptions {
  /** Extension: only updates in this state. */
  state?: DeliveryState | undefined;
}

export interface ReplayOptions extends LimitOptions {
  /** Extension: which to requeue, 1 to 100, instead of the oldest. Those that have not failed are not changed. */
  update_ids?: readonly number[] | undefined;
}

export interface TimelineOptions extends RequestOptions {
  /** `"1h"` unless given. */
  range?: Timeline["range"];
}

export interface ListChannelsOptions extends LimitOptions {
  /** Id of the channel after which to begin. */
  after?: string | undefined;
}

export interface ListPostsOptions extends LimitOptions {
  /** Id of the post before which to begin. */
  before?: string | undefined;
}

export interface ExportOptions extends RequestOptions {
  /** The cursor of a line. */
  after?: string | undefined;
}
