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
/** The share of posts that follow one of another bot. Two that do not hear each other come to about a half. */
const MIN_ALTERNATING = 0.75;

/** @returns how many posts {@link botsInLoop} needs */
export function postsToRead(maxPosts: number): number {
  return maxPosts * POSTS_READ;
}

/**
 * The bots that answer each other: since the last post of a person, each post followed one of another bot, nearly always, and
 * at least half as often as bots may.
 *
 * @param newest posts of persons, and of bots that hear the channel's posts, newest first
 * @param maxPosts that bots may publish in answer to each other before they are slowed
 * @param now milliseconds since the Unix epoch
 * @returns none unless there are two or more
 */
export function botsInLoop(newest: readonly PostOrigin[], maxPosts: number, now: number): Set<string> {
  const since = now - maxPosts * SECONDS_READ * 1000;
  const bots: string[] = [];
  for (const { botId, createdAt } of newest) {
    if (botId === null || createdAt < since) break;
    bots.push(botId);
  }
  const alternating = bots.filter((botId, index) => index > 0 && bots[index - 1] !== botId).length;
  const isLoop = alternating >= maxPosts / 2 && alternating >= (bots.length - 1) * MIN_ALTERNATING;
  return new Set(isLoop ? bots : []);
}
