import { expect } from "vitest";
import { NotFound } from "#botyard/domain/errors.js";
import type { BotRole } from "#botyard/domain/events/channel.js";
import { createFairness } from "#botyard/fairness/fairness.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { setCommands } from "#botyard/operations/bots/commands.js";
import { deleteBot } from "#botyard/operations/bots/delete-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { disableBot } from "#botyard/operations/bots/disable-bot.js";
import { editBot } from "#botyard/operations/bots/edit-bot.js";
import { changeOf, changeRooms } from "#botyard/operations/channels/change-rooms.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { putDirectChannel } from "#botyard/operations/channels/put-direct-channel.js";
import { putRooms } from "#botyard/operations/channels/put-rooms.js";
import { putOwner } from "#botyard/operations/owners/put-owner.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { type RoomBot, type Store, StoreUnavailable } from "#botyard/store/store.js";
import type { Scene } from "./apart-world.js";
import { attachInBulkRule, attachRule, RULES, type Rule } from "./pair-model.js";

/** For how long whoever erases an owner calls again. */
const ERASING_MS = 8_000;

/** A call of somebody who knows nothing of cells. */
export interface Call {
  name: string;
  rule: Rule;
  run(store: Store, scene: Scene): Promise<unknown>;
}

const asHolder = ({ holder: ownerUserId, bot }: Scene) => ({ ownerUserId, botId: bot.botId });
const channelOf = ({ holder: ownerUserId, channelId }: Scene) => ({ ownerUserId, channelId });
const fairnessOf = (store: Store) => createFairness(store, Number.POSITIVE_INFINITY, () => {});
/** Called again as long as it says that it is not done, as its callers do. */
async function erase(store: Store, ownerUserId: string): Promise<void> {
  // Of each instance; one that has died keeps its turn.
  const turns = createOwnerTurns(() => performance.now());
  const endsAt = performance.now() + ERASING_MS;
  for (;;)
    try {
      if ((await eraseOwner(store, turns, { ownerUserId }, ownerUserId)) === "deleted") return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > endsAt) throw error;
    }
}

const attach = (role: BotRole): Call => ({
  name: `attach as ${role}`,
  rule: attachRule(role),
  async run(store, scene) {
    const attached = await attachBot(store, asHolder(scene), scene.channelId, {}, role);
    expect(attached).toMatchObject({ role, attachedBy: scene.holder, channelId: scene.channelId });
  },
});
/** As in a call for many channels, of which each is read before and afterwards. */
async function changeInBulk(store: Store, scene: Scene, bots: readonly RoomBot[]): Promise<void> {
  const actor = { ownerUserId: scene.holder };
  const channel = await store.findChannel(channelOf(scene));
  if (!channel) return;
  const attached = await store.listChannelBots(scene.channelId, 100);
  const is = { channel, bots: attached.map(({ bot: { id }, role }) => ({ botId: id, role })) };
  const change = changeOf({ externalId: "", title: channel.title, bots }, is, actor);
  if (change) await changeRooms(store, actor, { perOwner: { most: 100, setBy: "service" } }, [change]);
}

const attachInBulk = (role: BotRole): Call => ({
  name: `attach as ${role} in bulk`,
  rule: attachInBulkRule(role),
  run: (store, scene) => changeInBulk(store, scene, [{ botId: scene.bot.botId, role }]),
});
const CALLS = {
  takeOutInBulk: { rule: RULES.takeOutInBulk, run: (store, scene) => changeInBulk(store, scene, []) },
  leave: { rule: RULES.detach, run: (store, { bot, channelId }) => detachBot(store, bot, channelId) },
  takeOut: { rule: RULES.detach, run: (store, scene) => detachBot(store, asHolder(scene), scene.channelId) },
  deleteBot: { rule: RULES.deleteBot, run: (store, { bot }) => deleteBot(store, bot) },
  unlist: { rule: RULES.unlist, run: (store, { bot }) => editBot(store, bot, { visibility: "private" }) },
  editBot: {
    rule: RULES.changeBot,
    run: (store, { bot, words }) => editBot(store, bot, { description: `about-${words}, edited` }),
  },
  putCommands: {
    rule: RULES.putCommands,
    run: (store, { bot, words }) =>
      setCommands(store, bot.botId, [{ name: "do", description: `about-${words}, commanded` }]),
  },
  disable: { rule: RULES.disable, run: (store, { bot }) => disableBot(store, bot) },
  suspend: {
    rule: RULES.suspend,
    run: (store, { maker }) => putOwner(store, maker, { suspended: true, reason: "a test" }),
  },
  deleteChannel: { rule: RULES.deleteChannel, run: (store, scene) => deleteChannel(store, channelOf(scene)) },
  eraseMaker: { rule: RULES.eraseMaker, run: (store, { maker }) => erase(store, maker) },
  eraseHolder: { rule: RULES.eraseHolder, run: (store, { holder }) => erase(store, holder) },
  makeDirect: {
    rule: RULES.makeDirect,
    run: (store, scene) =>
      putDirectChannel(
        store,
        // Otherwise it has the name of the bot, and keeps it.
        { ...asHolder(scene), title: `direct-${scene.words}` },
        { perOwner: { most: 100, setBy: "service" } },
      ),
  },
  makeRoom: {
    rule: RULES.makeRoom,
    run: async (store, { holder: ownerUserId, bot, words }) => {
      const room = { externalId: `room-${words}`, title: `room-${words}`, bots: [{ botId: bot.botId }] };
      const caps = { perOwner: { most: 100, setBy: "service" } } as const;
      const [made] = await putRooms(store, fairnessOf(store), { ownerUserId }, caps, [room]);
      if (made instanceof Error) throw made;
    },
  },
  leaveRoom: {
    rule: RULES.leaveRoom,
    run: async (store, { holder, bot, words }) => {
      const room = await store.findExternalChannel(holder, `room-${words}`);
      if (!room) throw new NotFound("channel");
      await detachBot(store, bot, room.id);
    },
  },
  postAsBot: {
    rule: RULES.postAsBot,
    run: (store, { bot: { botId }, channelId, words }) =>
      publishPost(store, { botId, username: `bot-${words}` }, { channelId, body: `said-${words}` }),
  },
  postAsHolder: {
    rule: RULES.postAsHolder,
    run: (store, { holder: ownerUserId, channelId, words }) =>
      publishPost(store, { ownerUserId, username: "h" }, { channelId, body: `held-${words}-1` }),
  },
} satisfies Record<string, Omit<Call, "name">>;
const call = (name: keyof typeof CALLS): Call => ({ name, ...CALLS[name] });

/** Two calls that meet each other. */
export interface Pair {
  one: Call;
  other: Call;
  /** The role in which the bot is in the channel before. */
  role?: BotRole;
}

const calls = (...names: (keyof typeof CALLS)[]): Call[] => names.map(call);
const attaching = attach("member");
export const PAIRS: Pair[] = [
  ...calls(
    "makeRoom",
    "leaveRoom",
    "unlist",
    "deleteBot",
    "disable",
    "suspend",
    "eraseMaker",
    "eraseHolder",
    "makeDirect",
  ).map((other) => ({ one: call("makeRoom"), other })),
  ...[
    ...calls(
      "leave",
      "takeOut",
      "deleteBot",
      "unlist",
      "deleteChannel",
      "eraseMaker",
      "eraseHolder",
      "disable",
    ),
    ...calls("suspend", "makeDirect"),
    attaching,
    attach("reader"),
  ].map((other) => ({ one: attaching, other })),
  ...calls("leave", "takeOut").flatMap((one) =>
    [attach("reader"), ...calls("deleteBot", "deleteChannel", "postAsBot", "postAsHolder")].map(
      (other): Pair => ({ one, other, role: "member" }),
    ),
  ),
  ...[
    attachInBulk("reader"),
    attaching,
    ...calls("takeOut", "deleteBot", "unlist", "deleteChannel", "eraseMaker", "eraseHolder"),
  ].map((other) => ({ one: attachInBulk("member"), other })),
  ...[attachInBulk("reader"), attaching, ...calls("leave", "deleteBot", "postAsBot", "postAsHolder")].map(
    (other): Pair => ({ one: call("takeOutInBulk"), other, role: "member" }),
  ),
  ...calls("postAsBot", "editBot", "putCommands", "makeDirect").map(
    (other): Pair => ({ one: call("deleteBot"), other, role: "member" }),
  ),
  ...calls("makeDirect", "unlist", "eraseMaker", "eraseHolder").map((other) => ({
    one: call("makeDirect"),
    other,
  })),
];

/** The other way round, for what is not the same when the first call is not answered. An erasure that ends half-way leaves something between. */
export const REVERSED = PAIRS.filter(({ other }) => !other.name.startsWith("erase")).map(
  ({ one, other, ...rest }): Pair => ({ one: other, other: one, ...rest }),
);
/** Calls that are made again when there was no answer. */
export const REPEATED = calls(
  "eraseHolder",
  "eraseMaker",
  "deleteBot",
  "deleteChannel",
  "leave",
  "takeOut",
).map((one): Pair => ({ one, other: one, role: "member" }));
