import type { RunningApi } from "./api.js";

/** A complete answer; of a stream, its beginning. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body, if it is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies whose shape they check
  body: any;
}

export interface Ask {
  token?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  rawBody?: string | Buffer;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends a request over the network, like any client. */
export async function ask(
  api: { url: string },
  method: string,
  path: string,
  what: Ask = {},
): Promise<Answer> {
  const { token, body, rawBody, headers, signal } = what;
  const hasBody = body !== undefined || rawBody !== undefined;
  const response = await fetch(api.url + path, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(hasBody ? { body: rawBody ?? JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const text = isStream ? await beginningOf(response) : await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** A stream of events has no end; its beginning shows that it is one. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** An owner with a bot that is attached to a channel. */
export interface World {
  owner: string;
  ownerToken: string;
  botId: string;
  botToken: string;
  username: string;
  channelId: string;
}

let worlds = 0;

/** Makes a {@link World} through the API. Each has unique names, so that tests can share a service. */
export async function makeWorld(api: Pick<RunningApi, "url" | "ownerToken">): Promise<World> {
  worlds += 1;
  const owner = `owner-${worlds}`;
  const username = `bot_${worlds}`;
  const ownerToken = await api.ownerToken(owner);
  const made = await ask(api, "POST", "/v1/bot-api/bots", { token: ownerToken, body: { username } });
  const channel = await ask(api, "POST", "/v1/channels", {
    token: ownerToken,
    body: { slug: `channel-${worlds}`, title: "A channel" },
  });
  const botId: string = made.body.bot.id;
  const channelId: string = channel.body.id;
  await ask(api, "POST", `/v1/bot-api/bots/${botId}/channels/${channelId}`, { token: ownerToken });
  return { owner, ownerToken, botId, botToken: made.body.token.token, username, channelId };
}

/** Publishes a post as the world's bot. */
export async function post(api: RunningApi, world: World, body: string): Promise<Answer> {
  return await ask(api, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
    token: world.botToken,
    body: { body },
  });
}
