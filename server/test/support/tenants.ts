import type { RunningApi } from "./api.js";
import { type Answer, ask } from "./api-client.js";
import { operations } from "./contract.js";
import { allowedFor, bodyFor } from "./tenant-operations.js";
import type { Bot, Channel, Post } from "./tenant-things.js";

type Operation = (typeof operations)[number];

/** A step of a random walk: an operation, its caller and the ids of its path, as picks from all that exist. */
export interface Step {
  /** Its id in the OpenAPI document. */
  operation: string;
  caller: number;
  bot: number;
  channel: number;
  other: number;
}

/** Several owners on one service, and a model of who may do what. */
export interface Tenants {
  /** Makes the call of one step and returns the fault of its answer, if any. */
  take(step: Step): Promise<string | undefined>;
  /** The faults of what all owners and bots can read at the end. */
  review(): Promise<string[]>;
}

const OWNERS = 3;
let worlds = 0;

export async function createTenants(api: RunningApi): Promise<Tenants> {
  worlds += 1;
  const world = worlds;
  const bots: Bot[] = [];
  const channels: Channel[] = [];
  let made = 0;
  const ownerTokens = await Promise.all(
    Array.from({ length: OWNERS }, (_, owner) => api.ownerToken(`w${world}-owner-${owner}`)),
  );
  /** A text that only one owner's data contains. */
  const markOf = (owner: number): string => `w${world}-mark-${owner}-`;
  const fresh = (owner: number): string => `${markOf(owner)}${(made += 1)}`;

  for (let owner = 0; owner < OWNERS; owner++) {
    for (let count = 0; count < 2; count++) {
      await call("createBot", { owner });
      await call("createChannel", { owner });
    }
  }
  for (const bot of bots) await attach(bot, channels.find(({ owner }) => owner === bot.owner) as Channel);

  /** Who calls: an owner, a bot with its token or an old one, or nobody. */
  interface Caller {
    owner?: number;
    bot?: Bot;
    token?: string | undefined;
    isValid?: boolean;
  }

  const everyCaller = (): Caller[] => [
    ...ownerTokens.map((_, owner) => ({ owner })),
    ...bots.flatMap((bot) => [
      { bot, token: bot.token, isValid: true },
      ...bot.oldTokens.slice(0, 1).map((token) => ({ bot, token, isValid: false })),
    ]),
    {},
  ];

  async function call(
    operationId: string,
    caller: Caller,
    {
      path = "",
      method = "POST",
      query = "",
      body,
    }: { path?: string; method?: string; query?: string; body?: unknown } = {},
  ): Promise<Answer> {
    const { owner } = caller;
    const isBot = operationId === "createBot";
    const isMaking = owner !== undefined && (isBot || operationId === "createChannel");
    const route = isMaking ? (isBot ? "/v1/bot-api/bots" : "/v1/channels") : path;
    const name = isMaking ? fresh(owner) : "";
    const making = isBot ? { username: name, description: name } : { slug: name, title: name };
    const token = owner === undefined ? caller.token : ownerTokens[owner];
    const sent = isMaking ? making : body;
    const answer = await ask(api, method, route + query, {
      ...(token ? { token } : {}),
      ...(sent === undefined ? {} : { body: sent }),
    });
    if (isMaking && answer.status === 201 && isBot) {
      const { bot, token: first } = answer.body;
      bots.push({
        id: bot.id,
        owner,
        token: first.token,
        oldTokens: [],
        channels: new Map(),
        isDisabled: false,
        isGone: false,
      });
    } else if (isMaking && answer.status === 201) {
      channels.push({ id: answer.body.id, owner, posts: [], isGone: false });
    }
    return answer;
  }

  async function attach(bot: Bot, channel: Channel): Promise<void> {
    await call(
      "attachBot",
      { owner: bot.owner },
      { path: `/v1/bot-api/bots/${bot.id}/channels/${channel.id}` },
    );
    bot.channels.set(channel.id, "moderator");
  }

  const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item;

  /** The right status when the caller is not allowed; undefined when they are. */
  function refusal(
    { tags, path, method, operationId }: Operation,
    caller: Caller,
    bot: Bot,
    channel: Channel,
    post: Post | undefined,
  ): number | undefined {
    if (path.startsWith("/v1/platform/")) return 401;
    if (tags.includes("bot-runtime")) {
      const me = caller.bot;
      if (!me || !caller.isValid || me.isDisabled || me.isGone) return 401;
      if (!path.startsWith("/v1/bot-api/channels/{id}")) return undefined;
      const role = me.channels.get(channel.id);
      if (!role) return 403;
      const isReader = role === "reader";
      if (!path.includes("{postId}")) return isReader ? 403 : undefined;
      if (!post || post.isGone) return 404;
      if (post.author === me) return isReader && method !== "GET" ? 403 : undefined;
      return role === "moderator" && method !== "PATCH" ? undefined : 403;
    }
    if (caller.owner === undefined) return 401;
    const ownsBot = bot.owner === caller.owner && !bot.isGone;
    const ownsChannel = channel.owner === caller.owner && !channel.isGone;
    if (path.startsWith("/v1/bot-api/bots/{id}") && !ownsBot) return 404;
    if (path === "/v1/bots/{id}" && !ownsBot) return 404;
    if (path.includes("{botId}") && !ownsBot) return 404;
    if (path.includes("{channelId}") && !ownsChannel) return 404;
    if (path.startsWith("/v1/channels/{id}") && !ownsChannel) return 404;
    if (path.includes("{postId}") && (!post || post.isGone)) return 404;
    if (operationId === "previewSubscription" && !ownsChannel) return 404;
    if (operationId === "attachBot" && channel.directBot && channel.directBot !== bot) return 400;
    return operationId === "detachBot" && !bot.channels.has(channel.id) ? 404 : undefined;
  }

  /** Applies a successful call to the model. */
  function learn(
    operationId: string,
    caller: Caller,
    bot: Bot,
    channel: Channel,
    post: Post | undefined,
    answer: Answer,
  ): void {
    if (operationId === "deleteBot") {
      bot.isGone = true;
      bot.channels.clear();
    }
    if (operationId === "disableBot") bot.isDisabled = true;
    if (operationId === "enableBot") bot.isDisabled = false;
    if (operationId === "attachBot") bot.channels.set(channel.id, answer.body.role);
    const direct = operationId === "putDirectChannel" ? { directBot: bot } : {};
    if (/^put(External|Direct)Channel$/.test(operationId) && answer.status === 201)
      channels.push({ id: answer.body.id, owner: caller.owner ?? 0, posts: [], isGone: false, ...direct });
    if (operationId === "putExternalChannels" && answer.body.items[0].status === 201)
      channels.push({
        id: answer.body.items[0].channel.id,
        owner: caller.owner ?? 0,
        posts: [],
        isGone: false,
      });
    if (direct.directBot) bot.channels.set(answer.body.id, "moderator");
    if (operationId === "putChannelBots") for (const one of bots) one.channels.delete(channel.id);
    if (operationId === "detachBot") bot.channels.delete(channel.id);
    if (operationId === "createBotPost" || operationId === "createChannelPost")
      channel.posts.push({ id: answer.body.id, author: caller.bot, isGone: false });
    if (operationId === "createPosts" && answer.body.items[0].post)
      channel.posts.push({ id: answer.body.items[0].post.id, author: undefined, isGone: false });
    if (post && (operationId === "deleteBotPost" || operationId === "deleteChannelPost")) post.isGone = true;
    if (operationId === "deleteChannel") {
      channel.isGone = true;
      for (const one of bots) one.channels.delete(channel.id);
      for (const one of channel.posts) one.isGone = true;
    }
    if (operationId === "rotateBotToken") {
      bot.oldTokens.unshift(bot.token);
      bot.token = answer.body.token;
    }
  }

  /** Finds data of another owner in an answer: a mark, or the id of a bot, a channel or a post. */
  function leakTo(owner: number | undefined, text: string): string | undefined {
    const foreign = [
      ...ownerTokens.flatMap((_, other) => (other === owner ? [] : [markOf(other)])),
      ...[...bots, ...channels].filter((item) => item.owner !== owner).map(({ id }) => id),
      ...channels
        .filter((channel) => channel.owner !== owner)
        .flatMap(({ posts }) => posts.map(({ id }) => id)),
      ...bots.filter((bot) => bot.owner !== owner).map(({ token }) => token),
    ];
    return foreign.find((secret) => text.includes(secret));
  }

  return {
    async take({ operation: operationId, ...picks }) {
      const operation = operations.find((one) => one.operationId === operationId) as Operation;
      const { method } = operation;
      const caller = pick(everyCaller(), picks.caller);
      const [bot, channel] = [pick(bots, picks.bot), pick(channels, picks.channel)];
      const post = channel.posts.length > 0 ? pick(channel.posts, picks.other) : undefined;
      const owner = caller.owner ?? caller.bot?.owner;
      const path = operation.path
        .replace("/channels/{id}", `/channels/${channel.id}`)
        .replace("{channelId}", channel.id)
        .replace("{botId}", bot.id)
        .replace("{updateId}", "1")
        .replace("{postId}", post?.id ?? channel.id)
        .replace("{externalId}", `${markOf(owner ?? 0)}external`)
        .replace("{name}", `${markOf(owner ?? 0)}c`)
        .replace("{id}", bot.id);
      const named = queryFor(operationId, pick(channels, picks.other), owner ?? 0);
      const body = bodyFor(operationId, fresh(owner ?? 0), channel.id);
      const answer = await call(operationId, caller, { path, method, query: named.query, body });
      const expected = refusal(operation, caller, bot, channel, post);
      const allowed = expected ? [expected] : allowedFor(operation, named.mayBeForeign);
      const what = `${method} ${path}${named.query} as ${describe(caller)}: ${answer.status} ${answer.text}`;
      if (!allowed.includes(answer.status)) return `${what}, where ${allowed.join(" or ")} was right`;
      if (!expected && answer.status < 300) learn(operationId, caller, bot, channel, post, answer);
      const leak = leakTo(expected === 401 ? undefined : owner, answer.text);
      return leak ? `${what}, which tells ${leak}` : undefined;
    },

    async review() {
      const problems: string[] = [];
      const expectIds = async (
        what: string,
        path: string,
        token: string,
        ids: string[],
        owner: number,
      ): Promise<void> => {
        const { body, text } = await ask(api, "GET", path, { token });
        const found = (body.items as { id: string }[]).map(({ id }) => id);
        if (found.toSorted().join() !== ids.toSorted().join())
          problems.push(`${what}: ${found.join()} instead of ${ids.join()}`);
        const leak = leakTo(owner, text);
        if (leak) problems.push(`${what} tells ${leak}`);
      };
      for (const [owner, token] of ownerTokens.entries()) {
        const own = bots.filter((bot) => bot.owner === owner && !bot.isGone);
        await expectIds(
          `bots of ${owner}`,
          "/v1/bot-api/bots",
          token,
          own.map(({ id }) => id),
          owner,
        );
        const held = channels
          .filter((channel) => channel.owner === owner && !channel.isGone)
          .map(({ id }) => id);
        await expectIds(`channels of ${owner}`, "/v1/channels", token, held, owner);
        for (const bot of own) {
          const path = `/v1/bot-api/bots/${bot.id}`;
          await expectIds(
            `channels of a bot of ${owner}`,
            `${path}/channels`,
            token,
            [...bot.channels.keys()],
            owner,
          );
          for (const list of ["updates", "consumers"]) {
            const { text } = await ask(api, "GET", `${path}/${list}`, { token });
            const leak = leakTo(owner, text);
            if (leak) problems.push(`${list} of a bot of ${owner} tell ${leak}`);
          }
        }
      }
      return problems;
    },
  };

  function queryFor(
    operationId: string,
    other: Channel,
    callerOwner: number,
  ): { query: string; mayBeForeign: boolean } {
    if (operationId === "pollUpdates")
      return { query: `?consumer=${markOf(callerOwner)}c`, mayBeForeign: false };
    if (operationId === "listChannels") return { query: `?after=${other.id}`, mayBeForeign: true };
    const post = other.posts.at(-1);
    if (operationId === "listChannelPosts" && post)
      return { query: `?before=${post.id}`, mayBeForeign: true };
    return { query: "", mayBeForeign: false };
  }
}

function describe({ owner, bot, isValid }: { owner?: number; bot?: Bot; isValid?: boolean }): string {
  if (owner !== undefined) return `owner ${owner}`;
  return bot ? `bot ${bot.id} of owner ${bot.owner}${isValid ? "" : " with an old token"}` : "nobody";
}
