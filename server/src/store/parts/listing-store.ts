import type { Bot } from "../../domain/bots/bot.js";
import type { BotProfile, FullProfile, Review, ReviewRule, ReviewState } from "../../domain/bots/listing.js";
import type { Audited } from "./audit-store.js";

/** Which listed bots a page has: by creation, oldest first. */
export interface ListedPage {
  limit: number;
  /** Only bots after this one, also when it was deleted since. */
  after?: string | undefined;
  /** Only bots with this text in the username, display name or description; given in lower case. */
  search?: string | undefined;
}

/** A page of a list of which one call looks at a limited number of rows. */
export interface LookedThrough<Item> {
  items: Item[];
  /** The bot that was looked at last, when there may be more. The page may have no items all the same. */
  next?: string | undefined;
}

/** The part of the store for bots that their owners have listed, so that others may attach them. */
export interface ListingStore {
  /**
   * Listed bots that any owner may attach, with what the owner `viewer` has attached of them. Without those that are disabled or
   * rejected; with `required`, only those that are approved.
   */
  listListedBots(viewer: string, review: ReviewRule, page: ListedPage): Promise<LookedThrough<BotProfile>>;
  /**
   * A bot as this owner sees it.
   *
   * @returns undefined unless it is listed, the owner's, or attached to one of the owner's channels
   */
  findProfile(viewer: string, review: ReviewRule, botId: string): Promise<FullProfile | undefined>;
  /** Bots that their owners have listed, for the platform; only those that stand so with it when `state` is given. */
  listReviews(state: ReviewState | undefined, page: ListedPage): Promise<LookedThrough<Bot>>;
  /** The same decision again changes nothing, not even when it was made. @returns undefined without such a bot */
  reviewBot(botId: string, review: Review & Audited): Promise<Bot | undefined>;
}
