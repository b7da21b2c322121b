import type { Environment } from "./program.js";

/** A client of the HTTP API for tests: one owner and its bots. */
export interface Owner {
  token: string;
  createChannel(slug: string): Promise<string>;
  /** A bot attached to the channels. */
  createBot(username: string, channelIds: readonly string[]): Promise<{ id: string; token: string }>;
  setWebhook(botId: string, url: string, secret?: string, maxBatch?: number): Promise<void>;
  get<Answer>(path: string): Promise<Answer>;
  /** Any other operation. Rejects on a refusal. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** @param environment `BOTYARD_URL` and `BOTYARD_TOKEN`, as for the command line */
export function ownerAt({ BOTYARD_URL: url = "", BOTYARD_TOKEN: token = "" }: Environment): Owner {
  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const answer = (await response.json()) as Answer & { error?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`);
    return answer;
  };
  return {
    token,
    async createChannel(slug) {
      const { id } = await call<{ id: string }>("POST", "/v1/channels", { slug, title: slug });
      return id;
    },
    async createBot(username, channelIds) {
      const { bot, token } = await call<{ bot: { id: string }; token: { token: string } }>(
        "POST",
        "/v1/bot-api/bots",
        {
          username,
        },
      );
      for (const channelId of channelIds)
        await call("POST", `/v1/bot-api/bots/${bot.id}/channels/${channelId}`);
      return { id: bot.id, token: token.token };
    },
    async setWebhook(botId, webhookUrl, secret, maxBatch) {
      const body = { url: webhookUrl, secret_token: secret, max_batch: maxBatch };
      await call("PUT", `/v1/bot-api/bots/${botId}/webhook`, body);
    },
    get: (path) => call("GET", path),
    call,
  };
}

/** Posts to a channel, one post after each answer. */
export interface Poster {
  /** The ids of the posts that were acknowledged. */
  acknowledged: string[];
  /** Ends after the request in flight. */
  stop(): Promise<void>;
}

/**
 * @param urlOf returns the URL for the next post; it may change
 * @param intervalMs between an answer and the next post
 */
export function startPoster(urlOf: () => string, token: string, channelId: string, intervalMs = 0): Poster {
  const acknowledged: string[] = [];
  let stopped = false;
  const posting = (async () => {
    for (let n = 0; !stopped; n++) {
      const id = await post(urlOf(), token, channelId, `post ${n}`);
      if (id) acknowledged.push(id);
      if (intervalMs > 0) await new Promise((resolve) => setTimeout(resolve, intervalMs));
      else if (!id) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await posting;
    },
  };
}

/** @returns the post's id; undefined when the service did not acknowledge it */
async function post(
  url: string,
  token: string,
  channelId: string,
  body: string,
): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/v1/bot-api/channels/${channelId}/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ body }),
    });
    const answer = (await response.json()) as { id?: string; error?: string };
    if (response.status === 201) return answer.id;
    if (response.status === 503) return undefined;
    throw new Error(`${response.status} ${answer.error}`);
  } catch (error) {
    // A broken connection acknowledges nothing.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export interface LoggedUpdate {
  update_id: number;
  payload: { post_id: string };
}

/** Polls all updates of a bot's log. */
export async function readLog(url: string, token: string): Promise<LoggedUpdate[]> {
  const log: LoggedUpdate[] = [];
  for (;;) {
    const offset = log.at(-1)?.update_id ?? 0;
    const response = await fetch(`${url}/v1/bot-api/updates?offset=${offset}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { items } = (await response.json()) as { items: LoggedUpdate[] };
    if (items.length === 0) return log;
    log.push(...items);
  }
}
