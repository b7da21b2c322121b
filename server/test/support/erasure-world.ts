import { randomUUID } from "node:crypto";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { BOT_ATTACHED, CHANNEL_UPDATED } from "#botyard/domain/events/event.js";
import { encodeEdit, encodePost, type Post } from "#botyard/domain/events/post.js";
import type { Subscription } from "#botyard/domain/events/subscription.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { channelNotice } from "#botyard/operations/channels/channel-notice.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import { putDirectChannel } from "#botyard/operations/channels/put-direct-channel.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type {
  AttemptOutcome,
  InteractionToAppend,
  PostAuthor,
  PostRevision,
  PostToAppend,
  ResponseToAppend,
  Store,
} from "#botyard/store/store.js";
import { aBot, aPost, aRoom, NOW } from "./store-fixtures.js";
import { complete, eraseUsers, expireUpdates } from "./upkeep.js";

const TURNS = createOwnerTurns(() => performance.now());

const ALL: Subscription = { eventTypes: ["*"], posts: "all", ownPosts: true };
const URL = "https://example.com/";

/** An owner with a bot in a channel. Every text says what it belongs to, so that it can be looked for in all tables. */
export async function makeErasureWorld(store: Store) {
  const id = randomUUID().slice(0, 8);
  const text = {
    owner: `owner-${id}`,
    channel: `channel-${id}`,
    bot: `bot-${id}`,
    post: `post-${id}`,
    toBot: `to-${id}`,
  };
  /** Cause of an event: its caller calls the request by the text. */
  const requestOf = (called: string) => `- ${called}`;
  const ownerUserId = text.owner;
  const channel = { ownerUserId, channelId: randomUUID() };
  const { channelId } = channel;

  const addBot = async (name: string) => {
    const bot = { ...aBot(ownerUserId, name), description: text.bot };
    await store.createBot(bot);
    return { ownerUserId, botId: bot.id };
  };
  const postBy = (author: PostAuthor, more: Partial<PostToAppend> = {}): PostToAppend => {
    const plain = aPost(channelId, "", author);
    const user = { type: "user", id: `user-${text.owner}`, username: text.owner } as const;
    const written = { id: plain.id, channelId, authorUsername: text.owner, author: user, body: text.channel };
    return { ...plain, payload: encodePost(written), cause: requestOf(text.channel), ...more };
  };
  const event = (eventType: string, payload: object, cause = requestOf(text.channel)) => {
    return { id: randomUUID(), eventType, payload: JSON.stringify(payload), createdAt: NOW, cause };
  };

  const made = store.createChannel({
    id: channelId,
    slug: `slug-${text.owner}`,
    title: text.channel,
    description: text.channel,
    ownerUserId,
    createdAt: NOW,
    externalId: `external-${text.owner}`,
  });
  const bot = await addBot(`a-${text.bot}`);
  const [spare] = await Promise.all([addBot(`b-${text.bot}`), made]);
  await Promise.all([store.putSubscription(bot, ALL), store.putSubscription(spare, ALL)]);
  await attachBot(store, bot, channelId, {});
  // A channel of another owner, who has attached the bot and may attach the spare one.
  const neighbor = { ownerUserId: `neighbor-${id}`, channelId: randomUUID() };
  const listed = { visibility: "listed", updatedAt: NOW } as const;
  await Promise.all([
    store.editBot(bot, listed),
    store.editBot(spare, listed),
    makeNeighborChannel(store, neighbor),
  ]);
  await attachBot(store, { ...bot, ownerUserId: neighbor.ownerUserId }, neighbor.channelId, {});
  const post: Post = {
    id: randomUUID(),
    channelId,
    authorUsername: text.owner,
    body: `${text.channel} ${text.post}`,
    createdAt: NOW,
    revision: 1,
  };
  await store.appendPosts([
    { ...postBy({ ownerUserId }), id: post.id, payload: encodePost(post), cause: requestOf(text.post) },
    ...Array.from({ length: 12 }, () => postBy({ botId: bot.botId, tokenHash: hashBotToken(bot.botId) })),
  ]);

  const awayPost = (more: Partial<PostToAppend> = {}): PostToAppend => {
    const { id: postId, ...plain } = aPost(neighbor.channelId, "", { botId: bot.botId });
    const written = {
      id: postId,
      channelId: neighbor.channelId,
      authorUsername: text.owner,
      body: text.owner,
    };
    return { ...plain, id: postId, payload: encodePost(written), cause: requestOf(text.owner), ...more };
  };
  const editOf = (replaces: number): PostRevision => {
    const edited = { ...post, revision: replaces + 1, editedAt: NOW };
    return {
      channelId,
      postId: post.id,
      replaces,
      payload: encodePost(edited),
      editedAt: NOW,
      event: { ...event("channel.post_edited", {}, requestOf(text.post)), payload: encodeEdit(edited) },
      mentions: [],
    };
  };
  const editPost = (by: Store, replaces = 1) => by.editPost({ ...editOf(replaces), idempotencyKey: "x" });
  const interaction = (interactionId: string): InteractionToAppend => ({
    ...channel,
    botId: bot.botId,
    event: {
      ...event("interaction.created", {
        interaction_id: interactionId,
        user: { id: text.owner, username: text.owner },
        command: { name: "say", options: { text: text.bot, also: text.channel } },
      }),
      id: interactionId,
    },
  });
  const pressed = randomUUID();
  const response = (more: Pick<ResponseToAppend, "post" | "edit">): ResponseToAppend => ({
    interactionId: pressed,
    channelId,
    botId: bot.botId,
    idempotencyKey: "x",
    event: event("interaction.responded", { user: { id: text.owner }, body: text.channel }),
    ...more,
  });
  const outcomes = async (by: Store, attempts: Pick<AttemptOutcome, "updateId" | "failure">[]) => {
    const { version = 0 } = (await by.readStoredWebhook(bot)) ?? {};
    const startsAt = NOW - (NOW % 3_600_000);
    const counts = { delivered: 1, retried: 1, failed: 0, answerTimes: [1], oldestMs: 1 };
    const told = attempts.map((attempt) => ({
      failureCount: 0,
      attemptedAt: NOW,
      durationMs: 1,
      ...attempt,
    }));
    const minutes = [{ startsAt, ...counts }];
    const lane = { destinationId: bot.botId, webhookVersion: version, nextFreshId: 3, minutes };
    await by.recordAttempts([{ ...lane, attempts: told }]);
  };
  const webhook = { url: URL, sealedSecret: text.bot };
  await Promise.all([store.putWebhook(bot, webhook, NOW), editPost(store)]);
  await store.appendInteraction(interaction(pressed));
  const failure = { error: text.bot, responseBody: text.bot, nextRetryAt: NOW };

  return {
    text,
    bot,
    spare,
    channel,
    /** The other owner's channel that the bot is in. */
    neighbor,
    /** Everything that adds rows, or moves counters. */
    writers: {
      "a post of the owner": (by) => by.appendPosts([postBy({ ownerUserId })]),
      "a post of a bot": (by) => by.appendPosts([postBy({ botId: bot.botId })]),
      "a batch with keys and mentions": (by) =>
        by.appendPosts(
          ["x", "y", "z"].map((idempotencyKey) =>
            postBy({ ownerUserId }, { idempotencyKey, mentions: [`a-${text.bot}`] }),
          ),
        ),
      "imported posts": (by) =>
        by.importPosts(
          ["x", undefined].map((idempotencyKey) => {
            const { mentions: _, ...post } = postBy({ ownerUserId }, { idempotencyKey });
            return { ...post, author: { ownerUserId } };
          }),
        ),
      "an edit": (by) => editPost(by, 2),
      "the deletion of a post": (by) =>
        deletePost(by, { ownerUserId }, { channelId, postId: post.id }).catch(ignoreMissing),
      "an event in the channel": (by) =>
        by.appendEvent({
          ownerUserId,
          to: { channelId },
          event: event("in.channel", { text: text.channel }),
          idempotencyKey: "x",
        }),
      "an event to the bot": (by) =>
        by.appendEvent({
          ownerUserId,
          to: { botId: bot.botId },
          event: event("to.bot", { text: text.bot }, requestOf(text.toBot)),
          idempotencyKey: "x",
        }),
      "an event of the bot": (by) =>
        by.appendBotEvent({
          botId: bot.botId,
          channelId,
          event: event("in.channel", { text: text.channel }),
          idempotencyKey: "x",
        }),
      "a post in another owner's channel": (by) =>
        by.appendPosts([awayPost(), awayPost({ idempotencyKey: text.owner, mentions: [`a-${text.bot}`] })]),
      "an event in another owner's channel": (by) =>
        by.appendBotEvent({
          botId: bot.botId,
          channelId: neighbor.channelId,
          event: event(
            "in.channel",
            { by: text.owner, channel_id: neighbor.channelId },
            requestOf(text.owner),
          ),
          idempotencyKey: text.owner,
        }),
      "a deletion in another owner's channel": async (by) => {
        const { channelId: there, ownerUserId: holder } = neighbor;
        const deleted = aPost(there, "of the neighbor", { ownerUserId: holder });
        await by.appendPosts([deleted]);
        await by.deletePost({
          channelId: there,
          postId: deleted.id,
          event: event(
            "channel.post_deleted",
            { post_id: deleted.id, channel_id: there },
            requestOf(text.owner),
          ),
          mentions: [],
          editorBotId: bot.botId,
          actor: "bot",
        });
      },
      "an attachment by another owner": (by) =>
        attachBot(by, { ...spare, ownerUserId: neighbor.ownerUserId }, neighbor.channelId, {}).catch(
          ignoreMissing,
        ),
      "an interaction": (by) => by.appendInteraction({ ...interaction(randomUUID()), idempotencyKey: "x" }),
      "a response": (by) => by.appendResponse(response({})),
      "a response with a post": (by) =>
        by.appendResponse(response({ post: postBy({ botId: bot.botId }, { mentions: [`b-${text.bot}`] }) })),
      "a response with an edit": (by) =>
        by.appendResponse(response({ edit: { ...editOf(2), editorBotId: bot.botId } })),
      "an attachment": (by) => attachBot(by, spare, channelId, {}).catch(ignoreMissing),
      "a direct channel": (by) =>
        putDirectChannel(
          by,
          { ...spare, user: { id: text.owner, username: text.owner }, title: text.owner },
          { perOwner: { most: 100, setBy: "service" }, perHolder: 1_000 },
        ).catch(ignoreMissing),
      "rooms in bulk": (by) => {
        const room = { ...aRoom(bot, spare), title: text.owner };
        const notice = channelNotice(BOT_ATTACHED, room, bot.ownerUserId).payload;
        return by.createRooms([{ ...room, notice }, aRoom(spare)], { perOwner: 100, perBot: 100 });
      },
      "bots of rooms in bulk": (by) => {
        const notices = {
          attached: JSON.stringify({ by: text.owner }),
          detached: JSON.stringify({ by: text.owner }),
        };
        const roleChanged = [{ botId: bot.botId, role: "member" as const }];
        const change = { ...channel, attached: [spare], roleChanged, detached: [], createdAt: NOW, notices };
        return by.changeRoomBots([change], { perBot: 100 });
      },
      "an edit of rooms in bulk": (by) => {
        const from = { title: text.channel, description: text.channel };
        const to = { ...from, title: `${text.channel} in bulk` };
        const notice = channelNotice(
          CHANNEL_UPDATED,
          { ...channel, id: channelId, slug: "", ...to },
          ownerUserId,
        );
        return by.editRooms([{ ...channel, from, to, event: notice }]);
      },
      "an edit of the channel": (by) =>
        editChannel(by, channel, { title: `${text.channel} again` }).catch(ignoreMissing),
      "a subscription": (by) => by.putSubscription(bot, { ...ALL, eventTypes: ["a.*", "b.*", "*"] }),
      "a webhook": (by) => by.putWebhook(bot, { url: `${URL}2`, sealedSecret: text.bot }, NOW),
      "a consumer": (by) => by.moveConsumer(bot.botId, "main", { position: 1, done: [], rewind: false }, NOW),
      "a claim and a release": async (by) => {
        await by.claimLanes({
          holder: id,
          now: NOW,
          leaseMs: 1000,
          targetAgeMs: 250,
          limit: 5,
          updatesPerLane: 5,
        });
        await by.renewLeases(id, [bot.botId], 1000, 250);
        await by.releaseLanes(id, [{ destinationId: bot.botId, health: FRESH_HEALTH, generation: 0 }], NOW);
      },
      "a failed attempt": (by) => outcomes(by, [{ updateId: 2, failure }]),
      "an accepted attempt": (by) => outcomes(by, [{ updateId: 3 }]),
      "counts without an attempt": (by) => outcomes(by, []),
      "a replay": (by) => by.replayFailed(bot, 100, NOW),
      "a disabled bot": (by) => by.setBotDisabled(bot, true, NOW),
      "a fold of timelines": (by) => complete(by, { kind: "fold", now: NOW + 3 * 86_400_000 }, 10),
    } satisfies Record<string, (by: Store) => Promise<unknown>>,
    /** Everything that removes rows or texts; with the texts that are gone once it has resolved. */
    erasers: {
      "deleting the post": {
        run: (by) => deletePost(by, { ownerUserId }, { channelId, postId: post.id }).catch(ignoreMissing),
        erases: [text.post],
      },
      "deleting the channel": {
        run: (by) => deleteChannel(by, channel).catch(ignoreMissing),
        erases: [text.post, text.channel, `slug-${text.owner}`],
      },
      "detaching the bot": { run: (by) => detachBot(by, bot, channelId).catch(ignoreMissing), erases: [] },
      "deleting the bot": {
        async run(by) {
          await by.deleteBot(bot);
          await complete(by, { kind: "erase", ownerUserId }, 5);
        },
        erases: [`"text":"${text.bot}`, text.toBot],
      },
      "erasing the owner": {
        async run(by) {
          while ((await eraseOwner(by, TURNS, { ownerUserId }, ownerUserId)) !== "deleted");
        },
        erases: Object.values(text),
      },
      "erasing the user": {
        async run(by) {
          await by.eraseUser(`user-${text.owner}`);
          await eraseUsers(by);
          // One step: the count of usage, which comes first, waits for those who write meanwhile.
          await by.runUpkeep({ kind: "erase", ownerUserId }, 5);
          // That it has ended is remembered until somebody asks.
          await by.eraseUser(`user-${text.owner}`);
        },
        // What is written in their name meanwhile may stay.
        erases: [],
      },
      retention: { run: (by) => expireUpdates(by, NOW + 1, 5), erases: [] },
    } satisfies Record<string, { run: (by: Store) => Promise<unknown>; erases: string[] }>,
  };
}

export type ErasureWorld = Awaited<ReturnType<typeof makeErasureWorld>>;
export type Writer = keyof ErasureWorld["writers"];
export type Eraser = keyof ErasureWorld["erasers"];

/** The other side was faster. */
function ignoreMissing(error: Error): void {
  if (!/not found|not attached|did not publish/.test(error.message)) throw error;
}

async function makeNeighborChannel(
  store: Store,
  { ownerUserId, channelId }: { ownerUserId: string; channelId: string },
): Promise<void> {
  const texts = { slug: `slug-${ownerUserId}`, title: "Next door", description: "" };
  await store.createChannel({ id: channelId, ownerUserId, createdAt: NOW, ...texts });
}
