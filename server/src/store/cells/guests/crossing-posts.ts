import { setTimeout as sleep } from "node:timers/promises";
import type { PostAuthor, PostToAppend, Store } from "../../store.js";
import type { StoreVerbs } from "../../verbs.js";
import { type Cells, KEYS_PER_CELL } from "../cell.js";
import type { Locations } from "../locations.js";
import type { Apart, Crossings } from "./apart.js";
import { auditApart, changeNotice } from "./changes.js";
import { changesFor, guestOwnerOf, isGuest, outboxFor } from "./guests.js";
import { makeChangesLog } from "./introduce.js";
import type { Relay } from "./relay.js";

interface CrossingPostsOptions {
  verbs: StoreVerbs;
  cells: Cells;
  locations: Locations;
  crossings: Crossings;
  relay: Pick<Relay, "settle">;
}

/** Until the instance that does the upkeep of a cell is asked again whether it is done. */
const ELSEWHERE_MS = 50;

type PostVerb =
  | "deleteChannel"
  | "deletePost"
  | "appendPosts"
  | "appendBotEvent"
  | "findKeyed"
  | "findPost"
  | "appendInteraction"
  | "findInteraction"
  | "appendResponse"
  | "listPostsAway"
  | "eraseNames";

/** What is done in a channel is done in the channel's cell, where a guest stands for a bot of another one. */
export function crossingPostVerbs({
  verbs,
  cells,
  locations,
  crossings: { knownApart, findApart, awayOf, inCellOf, hasMoved },
  relay,
}: CrossingPostsOptions): Pick<Store, PostVerb> {
  /** Of a bot that acts in its own name in a channel of another cell. */
  const isStill = async (botId: string, tokenHash: string | undefined): Promise<boolean> =>
    tokenHash === undefined || (await verbs.authenticateBot(tokenHash))?.id === botId;

  const appendAway = async (apart: Apart, post: PostToAppend) => {
    const { botId, tokenHash } = post.author as { botId: string; tokenHash?: string };
    if (!(await isStill(botId, tokenHash))) return false;
    const [result = false] = await inCellOf(apart, post.channelId, (store) =>
      store.appendPosts([{ ...post, author: { botId } }]),
    );
    return result;
  };

  /**
   * Erases something of a channel, and waits until it is erased in all cells.
   *
   * @param owner the channel's, looked for when left out
   */
  const settled = async <Result>(
    channelId: string,
    erase: () => Promise<Result>,
    owner?: string,
  ): Promise<Result> => {
    const holder = owner ?? (await locations.findOwnerOf({ id: channelId }));
    if (holder === undefined) return await erase();
    const away = await locations.findCellOf(holder);
    const outboxes = (await away?.store.listOutboxesIn(channelId)) ?? [];
    const result = await erase();
    if (!result) return result;
    const after = await locations.findCellOf(holder);
    // When its holder was moved meanwhile, it is not known in which outboxes a channel was that is deleted.
    const hasMoved = after !== undefined && after !== away;
    const waited = hasMoved ? cells().map(({ number }) => outboxFor(number).id) : outboxes;
    const cell = after ?? away;
    if (cell) await relay.settle(cell, waited, holder);
    return result;
  };

  const inItsCell = async <Verb extends "findKeyed" | "findPost">(
    verb: Verb,
    by: PostAuthor | { botId: string } | undefined,
    channelId: string | undefined,
    parameters: Parameters<Store[Verb]>,
  ): Promise<unknown> => {
    const run = (store: StoreVerbs): Promise<unknown> =>
      (store[verb] as (...all: unknown[]) => Promise<unknown>)(...parameters);
    if (!by || !("botId" in by) || channelId === undefined) return await run(verbs);
    const apart = await findApart(by.botId, channelId);
    return await (apart ? inCellOf(apart, channelId, run, false) : run(verbs));
  };

  /**
   * An interaction as the bot's cell has it, and how the cell is asked in which its responses are, when that is another one: that of its channel,
   * or, while it has not been carried yet, each that may be it.
   */
  const interactionOf = async (botId: string, id: string) => {
    const found = await verbs.findInteraction({ botId }, id);
    const { channel_id: channelId } = JSON.parse(found?.interaction.payload ?? "{}") as {
      channel_id?: string;
    };
    const apart = channelId === undefined ? undefined : await findApart(botId, channelId);
    const may = found ? [] : ((await awayOf(botId))?.away ?? []);
    const ask = async <Result>(call: (store: Store) => Promise<Result>): Promise<Result | undefined> => {
      if (apart && channelId !== undefined) return await inCellOf(apart, channelId, call, false);
      for (const { store } of may) {
        const there = await call(store);
        if (there) return there;
      }
      return undefined;
    };
    return { found, isAway: apart !== undefined || may.length > 0, ask };
  };

  const crossing: Pick<Store, PostVerb> = {
    /** What the channel had is gone in all cells when this resolves. */
    async deleteChannel(ref, event) {
      return await settled(ref.channelId, () => verbs.deleteChannel(ref, event), ref.ownerUserId);
    },

    /** As is what the post said. */
    async deletePost(deletion) {
      const { channelId, postId, editorBotId, audit } = deletion;
      const apart = editorBotId === undefined ? undefined : await findApart(editorBotId, channelId);
      if (!apart) return await settled(channelId, () => verbs.deletePost(deletion));
      const { home, away } = apart;
      // The holder reads it in the log of this cell, the bot's owner in that of the other.
      const { own, told } = auditApart(audit);
      const entry = own && { audit: own, target: { type: "post", id: postId, channelId } as const };
      if (entry) await makeChangesLog(away, home.number);
      const tell = entry && changeNotice({ entry }, home);
      const isDeleted = await settled(channelId, () => verbs.deletePost({ ...deletion, audit: told, tell }));
      // It is deleted, whether or not the other cell can be asked now.
      if (own) await relay.settle(away, [changesFor(home.number).id], own.ownerUserId).catch(() => {});
      return isDeleted;
    },

    /** Not async: it is called for each post. */
    appendPosts(posts) {
      const apart = posts.map(({ author, channelId }) =>
        "botId" in author ? knownApart(author.botId, channelId) : undefined,
      );
      if (apart.every((one) => one === undefined)) return appendNear(posts);
      return appendApart(posts);
    },

    async appendBotEvent(event) {
      const apart = await findApart(event.botId, event.channelId);
      if (!apart) {
        const stored = await verbs.appendBotEvent(event);
        return stored === false && (await hasMoved(event.botId, event.channelId))
          ? await crossing.appendBotEvent(event)
          : stored;
      }
      if (!(await isStill(event.botId, event.tokenHash))) return false;
      return await inCellOf(apart, event.channelId, (store) =>
        store.appendBotEvent({ ...event, tokenHash: undefined }),
      );
    },

    async findKeyed(call) {
      if ("interactionId" in call) {
        const { botId, interactionId, tokenHash } = call;
        const found = await verbs.findKeyed(call);
        if (found) return found;
        const { isAway, ask } = await interactionOf(botId, interactionId);
        if (!isAway || !(await isStill(botId, tokenHash))) return undefined;
        return await ask((store) => store.findKeyed({ ...call, tokenHash: undefined }));
      }
      const [by, channelId] =
        "author" in call
          ? [call.author, call.channelId]
          : "editor" in call
            ? [call.editor, call.channelId]
            : "eventIn" in call
              ? [{ botId: call.botId }, call.eventIn]
              : [];
      const find = async () =>
        (await inItsCell("findKeyed", by, channelId, [call])) as Awaited<ReturnType<Store["findKeyed"]>>;
      // The call that has deleted it may not have lived to see it erased in all cells.
      if ("change" in call && call.change === "deletion") return await settled(call.channelId, find);
      return await find();
    },

    async findPost(...parameters) {
      const [reader, channelId] = parameters;
      return (await inItsCell("findPost", reader, channelId, parameters)) as Awaited<
        ReturnType<Store["findPost"]>
      >;
    },

    async appendInteraction(interaction) {
      const { botId, channelId } = interaction;
      const apart = await findApart(botId, channelId);
      const outboxId = apart && outboxFor(apart.home.number).id;
      const stored = await verbs.appendInteraction({ ...interaction, outboxId });
      return stored === "not attached" && !apart && (await hasMoved(botId, channelId))
        ? await crossing.appendInteraction(interaction)
        : stored;
    },

    /** Its responses are where its channel is. */
    async findInteraction(reader, id) {
      if ("ownerUserId" in reader) return await verbs.findInteraction(reader, id);
      const { found, isAway, ask } = await interactionOf(reader.botId, id);
      return isAway ? await ask((store) => store.findInteraction(reader, id)) : found;
    },

    async appendResponse(response) {
      const apart = await findApart(response.botId, response.channelId);
      if (!apart) {
        const stored = await verbs.appendResponse(response);
        const isRefused = stored === undefined || stored === "not attached";
        return isRefused && (await hasMoved(response.botId, response.channelId))
          ? await crossing.appendResponse(response)
          : stored;
      }
      if (!(await isStill(response.botId, response.tokenHash))) return undefined;
      return await inCellOf(apart, response.channelId, (store) =>
        store.appendResponse({ ...response, tokenHash: undefined }),
      );
    },

    /** Names go last: by then nothing of the owner is left in the cells of guests, or on the way there. @throws StoreUnavailable */
    async eraseNames(ownerUserId, limit, by) {
      const home = await locations.findCellOf(ownerUserId);
      const others = cells().filter((cell) => cell !== home);
      // The call that has deleted something may not have lived to see it gone in all cells.
      if (home)
        await relay.settle(
          home,
          others.flatMap(({ number }) => [outboxFor(number).id, changesFor(number).id]),
        );
      const left = { kind: "erase", ownerUserId: guestOwnerOf(ownerUserId) } as const;
      const results = await Promise.all(others.map(({ store }) => store.runUpkeep(left, limit)));
      if (results.includes("elsewhere")) await sleep(ELSEWHERE_MS);
      return results.some((result) => result !== "done") || (await verbs.eraseNames(ownerUserId, limit, by));
    },

    /** In the owner's cell, and then in the others, whose keys are above. What was carried is erased with what it was carried of. */
    async listPostsAway(ownerUserId, after, limit) {
      const home = await locations.findCellOf(ownerUserId);
      const [cell, next] = cells().filter(({ number }) => after < (number + 1) * KEYS_PER_CELL);
      if (!home || !cell) return { posts: [], holdersOfDeleted: [] };
      const owner = cell === home ? ownerUserId : guestOwnerOf(ownerUserId);
      const page = await cell.store.listPostsAway(owner, after, limit);
      const posts = page.posts.filter(({ holder }) => !isGuest(holder));
      const holdersOfDeleted = page.holdersOfDeleted.filter((holder) => !isGuest(holder));
      return { posts, holdersOfDeleted, next: page.next ?? (next && next.number * KEYS_PER_CELL) };
    },
  };
  return crossing;

  async function appendNear(posts: readonly PostToAppend[]) {
    const results = await verbs.appendPosts(posts);
    const refused = [...results.entries()].flatMap(([i, result]) => {
      const post = posts[i];
      return result === false && post && "botId" in post.author
        ? [{ i, post, botId: post.author.botId }]
        : [];
    });
    if (refused.length === 0) return results;
    const moved = new Set<string>();
    for (const { post, botId } of refused)
      if (await hasMoved(botId, post.channelId)) moved.add(post.channelId);
    const again = refused.filter(({ post }) => moved.has(post.channelId));
    if (again.length === 0) return results;
    const stored = await appendApart(again.map(({ post }) => post));
    for (const [n, { i }] of again.entries()) results[i] = stored[n] ?? false;
    return results;
  }

  async function appendApart(posts: readonly PostToAppend[]) {
    const apart = await Promise.all(
      posts.map(async ({ author, channelId }) =>
        "botId" in author ? await findApart(author.botId, channelId) : undefined,
      ),
    );
    const near = posts.filter((_, i) => !apart[i]);
    const [appended, crossed] = await Promise.all([
      near.length > 0 ? verbs.appendPosts(near) : [],
      Promise.all(posts.map(async (post, i) => apart[i] && (await appendAway(apart[i], post)))),
    ]);
    const results = appended.values();
    return posts.map((_, i) => (apart[i] ? (crossed[i] ?? false) : (results.next().value ?? false)));
  }
}
