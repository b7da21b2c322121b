import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { encodePost } from "#botyard/domain/events/post.js";
import { DELIVERY_STATES } from "#botyard/domain/events/update.js";
import { newId } from "#botyard/domain/ids.js";
import { type BotRef, FEED, type Store } from "#botyard/store/store.js";
import { FIRST_POSITION } from "#botyard/store/unsent.js";
import {
  aDirectChannel,
  aNotice,
  anImport,
  aPost,
  aRoom,
  detach,
  makeAttachedBot,
  makeChannel,
  NOW,
  OWNER,
  recordOutcomes,
} from "./store-fixtures.js";
import { eraseRemains, eraseUsers, expireUpdates, foldTimelines, forgetKeys, sweepEvents } from "./upkeep.js";

const NIL_ID = "00000000-0000-0000-0000-000000000000";

/** Calls every verb of a store on bots and channels of its own. */
export async function runEveryVerb(store: Store): Promise<void> {
  const { ref, botId, channelId } = await makeAttachedBot(store);
  const other = await makeAttachedBot(store);
  await store.listBots(OWNER);
  await store.listOverviews(OWNER, NOW);
  await store.findBot(ref);
  await store.editBot(ref, { updatedAt: NOW });
  await store.setBotDisabled(ref, true, NOW);
  await store.setBotDisabled(ref, false, NOW);
  await store.replaceBotToken(ref, hashBotToken("x"));
  await store.authenticateBot(hashBotToken("x"));
  await store.putOwner(OWNER, { suspension: { reason: "x" }, limits: { bots: 1_000 }, metadata: "{}" }, NOW);
  await store.findOwner(OWNER);
  await store.listOwners(10);
  await store.countWebhooks(OWNER, 10);
  await store.readKeptBytes(OWNER);
  await store.readOwnerMove(OWNER);
  await store.listOutboxes();
  await store.readSuspension(hashBotToken("x"));
  await store.readUsage(OWNER, { from: 0, to: 1 });
  await store.listUsage({ from: 0, to: 1 }, 10);
  await store.runUpkeep({ kind: "count", now: NOW }, 10);
  await store.putOwner(OWNER, { suspension: null, limits: { bots: null }, metadata: null }, NOW);
  await store.listChannels(OWNER, 10, channelId);
  await store.findChannel({ ownerUserId: OWNER, channelId });
  const channel = { ownerUserId: OWNER, channelId };
  const from = { title: "A channel", description: "" };
  await store.editChannel(channel, {
    from,
    to: { ...from, title: "t" },
    event: aNotice("channel.updated"),
  });
  await store.editBot(ref, { visibility: "listed", updatedAt: NOW });
  await store.listListedBots(OWNER, "required", { limit: 10, search: "a", after: botId });
  await store.findProfile(OWNER, "required", botId);
  await store.listReviews("waiting", { limit: 10, search: "a", after: botId });
  for (const _ of ["decided", "the same"])
    await store.reviewBot(botId, { status: "approved", note: "", reviewedAt: NOW });
  const elsewhere = await makeChannel(store, "somebody else");
  const visit = { ownerUserId: "somebody else", botId };
  await store.attachBot(visit, elsewhere, aNotice("bot.attached"), { perHolder: 9, perBot: 9 });
  await store.findAttachedChannel(visit, elsewhere);
  await store.listChannelsAway(ref, 10);
  await store.appendPosts([aPost(elsewhere, "hello from elsewhere", { botId })]);
  await store.listPostsAway(OWNER, 0, 10);
  await store.detachBot(ref, elsewhere, aNotice("bot.detached"));
  await store.listBotChannels(botId, 1_000);
  await store.listChannelBots(channelId, 10);
  await store.listChannelBots(channelId, 10, undefined, OWNER);
  await store.findExternalChannel(OWNER, "room");
  await store.createDirectChannel(aDirectChannel(ref), aNotice("bot.attached"), {
    perOwner: 1_000,
    perHolder: 1_000,
  });
  await store.findDirectChannel(ref);
  await store.createRooms([aRoom(ref)], { perOwner: 1_000, perBot: 1_000 });
  await store.findRooms({ ownerUserId: OWNER, externalIds: ["room"] }, 10);
  await changeRooms(store, ref);
  await store.findExternalIds({ ownerUserId: OWNER, externalIds: ["room"] });
  await store.findHolders([channelId]);
  await store.countListeners([channelId]);
  await store.listPostOrigins(channelId, 10);
  const post = aPost(channelId, "hello", { botId });
  await store.appendPosts([post]);
  const zoe = { type: "user", id: "zoe", username: "Zoë" } as const;
  const written = aPost(channelId, "", { ownerUserId: OWNER });
  const payload = encodePost({ id: written.id, channelId, authorUsername: "Zoë", author: zoe, body: "x" });
  await store.appendPosts([{ ...written, payload }]);
  await store.listPosts(channelId, 10, {});
  await store.listUserChannels("zoe", 10);
  await store.eraseUser("zoe");
  await store.eraseMoved(OWNER, channelId, newId());
  await eraseUsers(store);
  await store.importPosts([anImport(channelId, "before", NOW - 1, { idempotencyKey: "import" })]);
  await runEventVerbs(store, ref, channelId);
  await runInteractionVerbs(store, ref, channelId);
  await store.listPosts(channelId, 10, post.id);
  await store.findMembership(botId, channelId);
  const emitted = { botId, channelId, event: aNotice("a.b"), idempotencyKey: "x" };
  await store.appendBotEvent(emitted);
  await store.appendBotEvent(emitted);
  await store.findKeyed({ eventIn: channelId, botId, key: "x" });
  for (const id of [post.id, newId()]) await store.findPostInLogs(channelId, id, [botId]);
  await store.readUpdates(botId, 0, 10);
  await store.readLogHead(botId);
  await store.readLogTail(botId);
  await store.readLogGap(botId);
  await store.findNumbersAt(botId, [NOW]);
  await store.openConsumer(botId, "main", NOW);
  await store.readConsumed(botId, "main", 10);
  await store.moveConsumer(botId, "main", { position: 0, done: [], rewind: false }, NOW);
  await store.listConsumers(botId);
  await store.noteConsumerPolls([{ botId, name: "main", at: NOW }]);
  await store.holdConsumer(botId, "main", "one", NOW + 1, NOW);
  await store.deleteConsumer(botId, "main");
  await store.giveUpUpdate(botId, 1, "main", "TypeError: no", NOW);
  await store.listGivenUp(botId);
  await store.handInGivenUp(botId, [1], NOW);
  await store.handInGivenUp(botId, undefined, NOW);
  await store.forgetGivenUp(botId, 1, "main");
  await store.skipUpdateIds(0, 10, 10);
  await store.listRecentUpdates(botId, 10);
  await store.listDeliveryErrors(botId, 10);
  await store.listDeliveryErrors(botId, 10, 1);
  await store.listFailedAttempts(botId, 1);
  await store.readStats(ref);
  await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
  const skip = { through: 0, done: [1] };
  await store.putWebhook(other.ref, { url: "https://example.com/", sealedSecret: null, skip }, NOW);
  await store.readWebhook(ref);
  await store.readStoredWebhook(ref);
  await runVerbsOfFurther(store, ref);
  await store.skipRemaining([botId]);
  await store.setWebhookPaused(ref, true, NOW);
  await store.setWebhookPaused(ref, false, NOW);
  await store.claimLanes({
    holder: "h",
    now: NOW,
    leaseMs: 1,
    targetAgeMs: 250,
    limit: 10,
    updatesPerLane: 10,
  });
  await store.renewLeases("h", [botId], 9, 250);
  await store.readTargetAge({ destinationId: botId });
  await store.readTargetAge({ botId });
  const failure = { error: "boom", responseBody: "oops", nextRetryAt: NOW };
  const attempts = [{ updateId: 1, failureCount: 0, attemptedAt: NOW, failure }];
  const minutes = [{ startsAt: NOW, delivered: 1, retried: 0, failed: 0, answerTimes: [1], oldestMs: 1 }];
  await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 2, attempts, minutes }]);
  await store.readTimeline(botId, NOW);
  await foldTimelines(store, NOW, 10);
  const failing = { ...FRESH_HEALTH, failingUpdates: 1 };
  await store.releaseLanes("h", [{ destinationId: botId, health: failing, generation: 1 }], NOW);
  await store.replayFailed(ref, 10, NOW);
  await store.replayUpdates(ref, [1], NOW);
  await store.skipUpdate(ref, 1, NOW);
  await store.endRest(ref, 1, NOW);
  for (const state of DELIVERY_STATES) await store.listUpdatesInState(botId, state, 10);
  await recordOutcomes(store, [
    { destinationId: botId, nextFreshId: 2, attempts: [{ updateId: 1, failureCount: 0, attemptedAt: NOW }] },
  ]);
  await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 2, attempts: [] }]);
  await store.listUpdatesInState(botId, "delivered", 10);
  await store.deleteWebhook(ref, NOW);
  await store.listSealedSecrets(undefined, 10);
  await store.nextSealingKey("");
  await store.noteKeyFile("secret.key");
  await store.hasKeyFile("secret.key");
  await store.switchDeliveries(false);
  await store.switchDeliveries(true);
  await store.areDeliveriesOff();
  await store.surveyLanes(0, 10, NOW);
  await store.resealSecret(botId, "a", "b");
  await expireUpdates(store, NOW + 1, 10);
  await detach(store, ref, channelId);
  await store.deleteChannel(channel, aNotice("bot.detached"));
  await eraseRemains(store, 10);
  await store.deleteBot(other.ref);
  await store.runUpkeep({ kind: "erase", ownerUserId: OWNER }, 10);
  await store.runUpkeep({ kind: "erasePosts", ownerUserId: OWNER }, 10);
  while (await eraseRemains(store, 10));
  await expireUpdates(store, NOW, 10);
  for (let sweep = 0; sweep < 4; sweep += 1) while (await sweepEvents(store, NOW, NOW, 10));
  await store.listOtherEvents(channelId, 10);
  await store.listBotEvents(botId, 10);
  await store.listBotEvents(botId, 10, newId());
  await runVerbsOfAlerts(store);
  await runFeedVerbs(store);
  await store.ping();
}

async function runVerbsOfFurther(store: Store, ref: BotRef): Promise<void> {
  const mirror = { ...ref, name: "mirror" };
  await store.putWebhook(mirror, { url: "https://example.com/", sealedSecret: null }, NOW);
  await store.listWebhooks(ref);
  const destinationId = (await store.findDestination(mirror)) ?? "";
  const attempts = [{ updateId: 1, failureCount: 0, attemptedAt: NOW, notSent: "unwanted" as const }];
  await recordOutcomes(store, [{ destinationId, nextFreshId: 2, attempts }]);
  const held = [{ updateId: 2, failureCount: 0, attemptedAt: NOW, notSent: "held" as const }];
  await recordOutcomes(store, [{ destinationId, nextFreshId: 3, attempts: held }]);
  for (const order of ["channel", "bot"] as const)
    await store.readDueUpdates([{ destinationId, order, afterUpdateId: 0, limit: 5 }], NOW);
  await store.releaseLanes("h", [{ destinationId, order: "bot", health: FRESH_HEALTH, generation: 1 }], NOW);
  await store.deleteWebhook(mirror, NOW);
  await store.removeDestination(mirror);
}

async function runVerbsOfAlerts(store: Store): Promise<void> {
  const { ref } = await makeAttachedBot(store);
  await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
  await store.setWebhookPaused(ref, true, NOW);
  const botId = await store.openWebhookLog("alerts", OWNER, newId());
  await store.findWebhookLog("alerts", OWNER);
  const alerts = { ownerUserId: OWNER, botId };
  await store.putWebhook(alerts, { url: "https://example.com/", sealedSecret: null }, NOW);
  await store.runUpkeep({ kind: "alert" }, 10);
  await store.deleteWebhook(alerts, NOW);
  await store.removeWebhookLog("alerts", OWNER);
}

async function runFeedVerbs(store: Store): Promise<void> {
  await store.switchFeed(true);
  await store.hasFeed();
  await store.attachFeed(0, 10);
  const { feedId = "", heads = [] } = (await store.readFeed([], 10)) ?? {};
  await store.openConsumer(FEED, "main", NOW);
  await store.findConsumer(FEED, "main");
  await store.readFeed({ consumer: "main" }, 10);
  await store.moveConsumer(FEED, "main", { feedId, positions: heads, rewind: false }, NOW);
  await store.moveConsumer(FEED, "none", { feedId, positions: heads, rewind: false }, NOW);
  await store.noteConsumerPolls([{ botId: FEED, name: "main", at: NOW }]);
  await store.listConsumers(FEED);
  await store.deleteConsumer(FEED, "main");
  await makeAttachedBot(store);
  await store.eraseNames(OWNER, 10);
  await store.repairUnsent(FIRST_POSITION, 10, NOW);
  await store.switchFeed(false);
  await store.switchFeed(true, true);
  await runAudited(store);
  await store.runUpkeep({ kind: "alert" }, 1);
  while ((await store.runUpkeep({ kind: "forgetAudit", before: Date.now() + 60_000 }, 10)) === "more");
  while ((await store.runUpkeep({ kind: "alert" }, 10)) === "more");
}

/** The verbs that are audited, asked by somebody, and what reads and removes what they write. */
async function runAudited(store: Store): Promise<void> {
  const audit = {
    by: { type: "owner", id: OWNER, tokenId: "t" },
    ownerUserId: OWNER,
    operation: "editBot",
    requestId: "r",
  } as const;
  const { ref: attached, botId, channelId } = await makeAttachedBot(store);
  const ref = { ...attached, audit };
  await store.editBot(ref, { displayName: "Audited", updatedAt: NOW });
  await store.attachBot(ref, channelId, aNotice("bot.attached"), undefined, "member");
  await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
  await store.replayFailed(ref, 10, NOW);
  await store.skipUpdate(ref, 1, NOW);
  await store.handInGivenUp(botId, undefined, NOW, ref);
  await store.deleteConsumer(botId, "main", ref);
  const post = aPost(channelId, "hello", { botId });
  await store.appendPosts([post]);
  const deletion = { channelId, postId: post.id, event: aNotice("channel.post_deleted"), mentions: [] };
  await changeRooms(store, { ...ref, tell: { payload: "{}" } });
  await store.createRooms([{ ...aRoom(attached), audit, tell: { payload: "{}" } }], { perBot: 1_000 });
  await store.reviewBot(ref.botId, { status: "rejected", note: "", reviewedAt: NOW, audit });
  await store.putOwner(OWNER, { limits: { bots: 7 }, audit }, NOW);
  await store.eraseUser("user-9", { audit });
  await store.listOutboxesIn(channelId);
  await store.listUncarried(botId, 0, 10);
  await store.findLastUncarried([botId], OWNER);
  await store.areUncarried([{ botId, number: 1 }]);
  await store.readCarried(botId, [1]);
  await store.removeCarried(botId, [0]);
  await store.editBot({ ...ref, tell: { payload: "{}" } }, { displayName: "Told", updatedAt: NOW });
  await store.listHostsOf(botId);
  await store.findCarried([{ channelId, id: botId, authorBotId: botId }]);
  await store.findGuestsIn([channelId], [botId]);
  const tell = { payload: "{}", isAudited: true };
  await store.deletePost({ ...deletion, audit, tell });
  await store.carryAudit([{ id: newId(), audit, target: { type: "bot", id: botId }, changes: {} }]);
  await store.deleteChannel({ ownerUserId: OWNER, channelId, audit }, aNotice("bot.detached"));
  for (const owner of [undefined, OWNER]) {
    for (const operation of [undefined, "editBot"]) await store.listAudit(owner, { operation }, 10);
    await store.listAudit(owner, { target: botId }, 10);
  }
  await store.runUpkeep({ kind: "forgetAudit", before: 0 }, 10);
  await store.eraseNames("nobody", 10, { audit });
}

async function runEventVerbs(store: Store, ref: BotRef, channelId: string): Promise<void> {
  const { botId } = ref;
  const { id: postId, payload, ...rest } = aPost(channelId, "hello", { botId });
  await store.appendPosts([{ id: postId, payload, ...rest }]);
  await store.putSubscription(ref, { eventTypes: ["*"], posts: "mentions", ownPosts: false });
  await store.readSubscription(botId);
  await store.putCommands(botId, "[]", NOW);
  await store.readCommands(botId);
  await store.listChannelCommands(channelId, 10);
  await store.readCommandsVersion(channelId);
  const marks = [{ mentions: ["x"] }, { idempotencyKey: "x" }, { mentions: ["x"], idempotencyKey: "x" }];
  for (const mark of marks) await store.appendPosts([{ ...aPost(channelId, "hello", { botId }), ...mark }]);
  for (const to of [{ channelId }, { botId }]) {
    await store.appendEvent({ ownerUserId: OWNER, to, event: aNotice("a.b"), idempotencyKey: "x" });
  }
  for (const to of [{ channelId }, { botId }]) await store.findKeyed({ ownerUserId: OWNER, to, key: "x" });
  for (const author of [{ botId }, { ownerUserId: OWNER }])
    await store.findKeyed({ author, channelId, key: "x" });
  await store.findPost({ ownerUserId: OWNER }, channelId, postId);
  await store.putSubscription(ref, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const post = { channelId, postId };
  const edit = {
    replaces: 1,
    payload,
    editedAt: NOW,
    event: aNotice("channel.post_edited"),
    mentions: ["x"],
  };
  await store.editPost({ ...post, ...edit, idempotencyKey: "x" });
  for (const editor of [{ botId }, { ownerUserId: OWNER }])
    await store.findKeyed({ change: "edit", ...post, editor, key: "x" });
  await store.listChannelEvents(channelId, 10);
  await store.deletePost({ ...post, event: aNotice("channel.post_deleted"), mentions: ["x"] });
  await eraseRemains(store, 10);
  await forgetKeys(store, NOW, 10);
  await store.putSubscription(ref, null);
}

async function runInteractionVerbs(
  store: Store,
  { botId, ownerUserId }: BotRef,
  channelId: string,
): Promise<void> {
  const channel = { ownerUserId, channelId };
  const interaction = { ...aNotice("interaction.created"), id: newId() };
  const idempotencyKey = "x";
  const responseTo = (post?: ReturnType<typeof aPost>) => ({
    interactionId: interaction.id,
    channelId,
    botId,
    event: aNotice("interaction.responded"),
    idempotencyKey: post && idempotencyKey,
    post,
  });
  await store.appendInteraction({ ...channel, botId, event: interaction, idempotencyKey });
  await store.appendInteraction({ ...channel, botId, event: interaction, idempotencyKey });
  await store.findInteraction({ botId }, interaction.id);
  await store.findInteraction(channel, interaction.id);
  await store.findResponse(channel, NIL_ID);
  await store.appendResponse(responseTo());
  await store.appendResponse(responseTo(aPost(channelId, "hello", { botId })));
  await store.findKeyed({ interactionIn: channelId, ownerUserId, key: idempotencyKey });
  await store.findKeyed({ interactionId: interaction.id, botId, key: idempotencyKey });
  const edit = {
    channelId,
    postId: NIL_ID,
    replaces: 1,
    payload: "{}",
    editedAt: NOW,
    event: aNotice("channel.post_edited"),
    mentions: [],
    editorBotId: botId,
  };
  await store.appendResponse({ ...responseTo(), edit });
}

async function changeRooms(store: Store, ref: BotRef): Promise<void> {
  const { id: channelId, title, description, bots } = aRoom(ref);
  const { botId: _, ...actor } = ref;
  await store.createRooms([{ ...aRoom(ref), id: channelId, bots }], { perBot: 1_000 });
  const [from, to] = [
    { title, description },
    { title: "Another", description },
  ];
  await store.editRooms([{ ...actor, channelId, from, to, event: aNotice("channel.updated") }]);
  const none = { attached: [], roleChanged: [], detached: [] };
  for (const change of [
    { ...none, roleChanged: [{ botId: ref.botId, role: "reader" as const }] },
    { ...none, detached: [ref.botId] },
    { ...none, attached: [{ botId: ref.botId }] },
  ]) {
    const notices = { attached: "{}", detached: "{}" };
    await store.changeRoomBots([{ ...actor, ...change, channelId, createdAt: NOW, notices }], {
      perHolder: 1_000,
    });
  }
}
