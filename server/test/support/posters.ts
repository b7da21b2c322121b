import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "#botyard/domain/ids.js";
import type { Answer, Ask } from "./api-client.js";

export interface Post {
  id: string;
  /** No two posts have the same. */
  words: string;
  revision: number;
  isDeleted: boolean;
}
export interface Bot {
  id: string;
  token: string;
}
export interface Poster {
  /** Undefined of the channel's holder. */
  botId?: string;
  ask(method: string, path: string, what: Ask, place: number): Promise<Answer>;
  path: string;
  posts: Post[];
  /** What of it was acknowledged, in this order, in the words of {@link toldOf}. */
  acknowledged: string[];
}
export interface Update {
  update_id: number;
  event_type: string;
  payload: { post_id: string; revision?: number };
}

/** Between a post, with its changes, and the next one. */
const MOST_PAUSE_MS = 250;

/** Asks one instance after the other until it is done. */
async function until({ ask }: Poster, method: string, path: string, body?: unknown): Promise<Answer> {
  const what = { ...(body !== undefined && { body }), headers: { "idempotency-key": newId() } };
  for (let place = 0; ; place++) {
    const answer = await ask(method, path, what, place).catch(() => undefined);
    if (answer && answer.status < 300) return answer;
    if (answer && ![429, 503].includes(answer.status))
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    await sleep(50);
  }
}

/** Publishes, and changes what was published a little while ago. */
export async function keepChanging(poster: Poster, random: (below: number) => number, isOver: () => boolean) {
  const { posts, path, acknowledged } = poster;
  while (!isOver()) {
    const words = `words-${newId()}`;
    const { id } = (await until(poster, "POST", path, { body: words })).body;
    posts.push({ id, words, revision: 1, isDeleted: false });
    acknowledged.push(`channel.post_created ${id} `);
    const post = posts.at(-1 - random(3));
    if (post && !post.isDeleted && random(3) === 0) {
      post.revision += 1;
      await until(poster, "PATCH", `${path}/${post.id}`, { body: `${post.words} ${post.revision}` });
      acknowledged.push(`channel.post_edited ${post.id} ${post.revision}`);
    }
    if (post && !post.isDeleted && random(3) === 0) {
      await until(poster, "DELETE", `${path}/${post.id}`);
      post.isDeleted = true;
      acknowledged.push(`channel.post_deleted ${post.id} `);
    }
    await sleep(random(MOST_PAUSE_MS));
  }
}

/** What updates tell of posts: in the words of {@link Poster.acknowledged}. */
export const toldOf = (updates: readonly Update[], ids: ReadonlySet<string>): string[] =>
  updates
    .filter(({ payload }) => ids.has(payload.post_id))
    .map(({ event_type: type, payload }) => `${type} ${payload.post_id} ${payload.revision ?? ""}`);
/** @returns a function of whole numbers from 0, below what it is given: the same for the same seed */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
