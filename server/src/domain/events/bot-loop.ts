/** Who published a post, and when. */
export interface PostOrigin {
  /** Null for a person: an owner, one of their users or the platform. */
  botId: string | null;
  createdAt: number;
}

/** How fast bots in a loop may go on. A person who talks to them meanwhile waits a second at most. */
export const LOOP_POSTS_PER_SECOND = 1;

/** Posts that are looked at, for each one that bots may publish in a row: others may post between those in a loop. */
const POSTS_READ = 2;
/** How long ago those may be: bots that are slowed publish about one a second, and rarely less than one in two. */
const SECONDS_READ = 3;
/** The share of one bot at most: who answers one other has a half, who publishes without being answered nearly all. */
const MAX_SHARE = 2 / 3;
/**
 * How far a bot may be ahead of its share and behind it, together, as a multiple of the root of the number of posts. Bots
 * that answer each other stay within the number of posts that wait for an answer. Those that publish independently
 * drift apart: of 200 posts of two alike by more than this 97 times of 100 (the distribution is Kuiper's).
 */
const MAX_DRIFT = 0.375;

/** @returns how many posts {@link botsInLoop} needs */
export function postsToRead(maxPosts: number): number {
  return maxPosts * POSTS_READ;
}

/**
 * The bots that answer each other: since the last post of a person, none got ahead of the others or fell behind, and
 * they published at least half as many as bots may. It need not be in turn: a bot that reads several posts at once answers
 * them at once.
 *
 * @param newest posts of persons, and of bots that hear the channel's posts, newest first
 * @param maxPosts that bots may publish in answer to each other before they are slowed
 * @param now milliseconds since the Unix epoch
 * @returns none unless there are two or more
 */
export function botsInLoop(newest: readonly PostOrigin[], maxPosts: number, now: number): Set<string> {
  const since = now - maxPosts * SECONDS_READ * 1000;
  const authors: string[] = [];
  for (const { botId, createdAt } of newest) {
    if (botId === null || createdAt < since) break;
    authors.push(botId);
  }
  if (authors.length <= maxPosts / 2) return new Set();
  const bots = new Set(authors);
  const isLoop = [...bots].every((bot) => keepsPace(bot, authors));
  return isLoop ? bots : new Set();
}

function keepsPace(bot: string, authors: readonly string[]): boolean {
  const share = authors.filter((author) => author === bot).length / authors.length;
  let [ahead, mostAhead, mostBehind] = [0, 0, 0];
  for (const author of authors) {
    ahead += (author === bot ? 1 : 0) - share;
    mostAhead = Math.max(mostAhead, ahead);
    mostBehind = Math.max(mostBehind, -ahead);
  }
  return share <= MAX_SHARE && mostAhead + mostBehind <= MAX_DRIFT * Math.sqrt(authors.length);
}
