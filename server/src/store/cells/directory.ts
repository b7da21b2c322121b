import type { FeedDirectory } from "./feed/feed-parts.js";
import type { FeedBoundary, NotedMove } from "./moves/owner-moves.js";

/** A cell as the directory has it. */
export interface CellEntry {
  name: string;
  number: number;
  /** Left out of a cell in the directory's own database; without a schema, in its own schema. */
  url?: string;
  schema?: string;
  /** Gets no new owners. */
  isDraining: boolean;
}

export interface CellList {
  directoryId: string;
  /** Rises with each change of the cells. */
  version: number;
  /** By number. */
  cells: CellEntry[];
}

/** Which cell a schema is. */
export interface CellIdentity {
  directoryId: string;
  name: string;
  number: number;
}

/** What a schema is to cells: one of them, their directory, both or neither. */
export interface CellTables {
  cell?: CellIdentity;
  list?: CellList;
}

/** Which bot, and whose. */
export interface DirectoryBot {
  botId: string;
  ownerUserId: string;
}

export interface NewDirectoryBot extends DirectoryBot {
  username: string;
  tokenHash: string;
}

/**
 * Where each owner lives, which usernames are taken in all cells, and whose a bot's token is. It only says where to ask: whether a token is
 * valid, or an owner has something, the cell says. Any of its calls may reject with `StoreUnavailable`.
 */
export interface Directory extends FeedDirectory {
  /** @returns undefined while there are no cells */
  listCells(): Promise<CellList | undefined>;
  /** The name of the owner's cell; undefined of an owner who has none yet. */
  findOwner(ownerUserId: string): Promise<string | undefined>;
  /**
   * Gives an owner who has no cell the one with the least work, of those that are served here and are not drained.
   *
   * @returns the name of the owner's cell; undefined when none can take them
   */
  assignOwner(ownerUserId: string, served: readonly string[], now: number): Promise<string | undefined>;
  /** Notes where an owner was found whom it did not know. @returns the name of the owner's cell */
  noteOwner(ownerUserId: string, cell: string): Promise<string | undefined>;
  findToken(tokenHash: string): Promise<DirectoryBot | undefined>;
  /**
   * Takes a username and notes the token, before the bot is made in its cell.
   *
   * @returns whose the username is, if it is taken
   */
  reserveBot(bot: NewDirectoryBot, now: number): Promise<(DirectoryBot & { madeAt: number }) | undefined>;
  /** Removes a bot that is not, or no more, in its cell. */
  forgetBot(botId: string): Promise<void>;
  /** Notes another token, before the bot's cell gets it. */
  addToken(botId: string, tokenHash: string): Promise<void>;
  /** Removes all tokens of a bot but this one. */
  keepToken(botId: string, tokenHash: string): Promise<void>;
  /** Notes that the owner has moved, unless the directory has them elsewhere by now. */
  moveOwner(ownerUserId: string, from: string, to: string): Promise<void>;
  moves(): Promise<readonly NotedMove[]>;
  /** The moves as they were read last: all that have led an owner to where this has said that they live. */
  knownMoves(): readonly NotedMove[];
  /** Notes a move for the readers of the feed; once, also when it is called again. */
  noteMove(moveId: string, move: FeedBoundary): Promise<void>;
  /** Forgets moves, when what their owners did before has expired. */
  forgetMoves(moveIds: readonly string[]): Promise<void>;
  /** Adds writes that cells have done, by name. */
  addWork(work: ReadonlyMap<string, number>, now: number): Promise<void>;
  close(): Promise<void>;
}
