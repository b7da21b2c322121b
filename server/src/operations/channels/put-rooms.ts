import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { Channel } from "../../domain/events/channel.js";
import { BOT_ATTACHED } from "../../domain/events/event.js";
import { costOfEvent, SMALL_REQUEST_US } from "../../fairness/cost.js";
import type { Fairness } from "../../fairness/fairness.js";
import type { OwnerActor, Room, Store } from "../../store/store.js";
import { createKeyedTurns } from "../keyed-turns.js";
import { runSteps, stepsOf } from "../posts/run-batch.js";
import { changeOf, changeRooms, isNoChange, type WishedRoom } from "./change-rooms.js";
import { channelNotice } from "./channel-notice.js";
import { type ChannelCaps, newChannel, rulesOf } from "./create-channel.js";
import { putExternalChannel } from "./put-external-channel.js";
import { refuseUnknownBots, rolesIn, setChannelBots } from "./set-channel-bots.js";

export interface PutRoom {
  channel: Channel;
  isNew: boolean;
}

/**
 * Creates channels with their bots, or changes those that there are, each by itself and those with one external id in their order. New ones are
 * created in one transaction for each step; so are the others changed, and one that is as it shall be costs a part of a read. What cannot be done for
 * many at once is done as by calls for one alone; when that fails in between, the same call again does the rest.
 *
 * @returns for each its result, or the error with which it failed
 */
export async function putRooms(
  store: Store,
  fairness: Fairness,
  actor: OwnerActor,
  caps: ChannelCaps,
  wished: readonly (WishedRoom | Error)[],
): Promise<(PutRoom | Error)[]> {
  const rooms = wished.filter((room): room is WishedRoom => !(room instanceof Error));
  const isOther = ({ externalId }: WishedRoom, step: readonly WishedRoom[]): boolean =>
    step.every((one) => one.externalId !== externalId);
  const done = await runSteps(fairness, actor.ownerUserId, stepsOf(rooms, costOfRoom, isOther), (step) =>
    putStep(store, actor, caps, step),
  );
  let next = 0;
  return wished.map((room) => (room instanceof Error ? room : (done[next++] as PutRoom | Error)));
}

function costOfRoom({ bots = [] }: WishedRoom): number {
  return SMALL_REQUEST_US + costOfEvent(bots.length);
}

/** Calls that change the same channels in lockstep would undo each other again and again. */
const inOwnersTurn = createKeyedTurns();

async function putStep(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  step: readonly WishedRoom[],
): Promise<(PutRoom | Error)[]> {
  try {
    const there = await findRooms(store, actor, step);
    const drafts = await createMissing(store, actor, caps, step, there);
    const isAsWished = (wish: WishedRoom): boolean => {
      const room = there.get(wish.externalId);
      const change = room && changeOf(wish, room, actor);
      return drafts.get(wish)?.isWhole ?? (change !== undefined && isNoChange(change));
    };
    const changeRest = (rooms: ReadonlyMap<string, Room>) =>
      changeStep(store, actor, caps, step, rooms, drafts);
    if (step.every(isAsWished)) return await changeRest(there);
    return await inOwnersTurn(actor.ownerUserId, async (hasWaited) =>
      changeRest(hasWaited ? await findRooms(store, actor, step) : there),
    );
  } catch (error) {
    return step.map(() => error as Error);
  }
}

/** @param drafts of the channels that there were not */
async function changeStep(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  step: readonly WishedRoom[],
  there: ReadonlyMap<string, Room>,
  drafts: ReadonlyMap<WishedRoom, Draft>,
): Promise<(PutRoom | Error)[]> {
  const others = step.filter((wish) => !drafts.has(wish));
  const done = await changeExisting(store, actor, caps, others, there);
  return await Promise.all(
    step.map(async (wish) => {
      const draft = drafts.get(wish);
      if (draft?.isWhole) return { channel: draft.channel, isNew: true };
      const channel = done.get(wish);
      if (channel) return { channel, isNew: false };
      const known = { existing: there.get(wish.externalId)?.channel, draft: draft?.channel };
      return await putAlone(store, actor, caps, wish, known).catch((error: Error) => error);
    }),
  );
}

/** How many bots more than it shall have a channel may have, to be changed together with others. */
const FURTHER_BOTS = 16;

/** The most bots that are read of a channel, and that one may have to be changed together with others. */
function mostBots(step: readonly WishedRoom[]): number {
  return Math.max(...step.map(({ bots = [] }) => bots.length)) + FURTHER_BOTS;
}

async function findRooms(
  store: Store,
  { ownerUserId }: OwnerActor,
  step: readonly WishedRoom[],
): Promise<Map<string, Room>> {
  if (step.length === 0) return new Map();
  const externalIds = step.map(({ externalId }) => externalId);
  const rooms = await store.findRooms({ ownerUserId, externalIds }, mostBots(step));
  return new Map(rooms.map((room) => [room.channel.externalId ?? "", room]));
}

interface Draft {
  channel: Channel;
  /** Whether it was made with its bots. Otherwise it may be there without some of them, where these live in other cells. */
  isWhole: boolean;
}

/** @returns those that there are not */
async function createMissing(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  step: readonly WishedRoom[],
  there: ReadonlyMap<string, Room>,
): Promise<Map<WishedRoom, Draft>> {
  const createdAt = Date.now();
  const drafts = step.flatMap((wish) => {
    if (there.has(wish.externalId)) return [];
    const { externalId, bots = [] } = wish;
    try {
      const channel = { ...newChannel({ ...wish, ...actor }), externalId, createdAt };
      const notice = channelNotice(BOT_ATTACHED, channel, actor.ownerUserId).payload;
      return [{ wish, room: { ...channel, bots, notice } }];
    } catch {
      // Its own call refuses it.
      return [];
    }
  });
  if (drafts.length === 0) return new Map();
  const areMade = await store.createRooms(
    drafts.map(({ room }) => room),
    rulesOf(caps),
  );
  return new Map(
    drafts.map(({ wish, room }, index) => [wish, { channel: room, isWhole: areMade[index] === true }]),
  );
}

/** @returns the channels that are as they shall be, or were changed to be so; of any other, a call for it alone says why not */
async function changeExisting(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  step: readonly WishedRoom[],
  there: ReadonlyMap<string, Room>,
): Promise<Map<WishedRoom, Channel>> {
  const done = new Map<WishedRoom, Channel>();
  /** @returns what has to change in those that are not as they shall be, as far as that can be done for many at once */
  const look = (wishes: readonly WishedRoom[], rooms: ReadonlyMap<string, Room>) =>
    wishes.flatMap((wish) => {
      const room = rooms.get(wish.externalId);
      const change = room && changeOf(wish, room, actor);
      if (!change) return [];
      if (isNoChange(change)) done.set(wish, change.channel);
      return isNoChange(change) || room.bots.length === mostBots(step) ? [] : [{ wish, change }];
    });
  const changing = look(step, there);
  if (changing.length === 0) return done;
  await changeRooms(
    store,
    actor,
    caps,
    changing.map(({ change }) => change),
  );
  const changed = changing.map(({ wish }) => wish);
  look(changed, await findRooms(store, actor, changed));
  return done;
}

/** What is known of a channel when it is put: as it was found, or was to be made. */
interface Known {
  existing?: Channel | undefined;
  draft?: Channel | undefined;
}

/** Once more when somebody deletes the channel meanwhile. */
async function putAlone(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  wish: WishedRoom,
  known: Known,
): Promise<PutRoom> {
  try {
    return await putOnce(store, actor, caps, wish, known);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return await putOnce(store, actor, caps, wish, {});
  }
}

async function putOnce(
  store: Store,
  actor: OwnerActor,
  caps: ChannelCaps,
  { bots, ...wish }: WishedRoom,
  { existing, draft }: Known,
): Promise<PutRoom> {
  // Nothing is made or changed when one of the bots will be refused. What is attached may stay, whoever offers it.
  const wished = bots?.map(({ botId }) => botId) ?? [];
  const roles = existing && wished.length > 0 ? await rolesIn(store, existing.id) : undefined;
  await refuseUnknownBots(
    store,
    actor,
    caps,
    wished.filter((botId) => !roles?.has(botId)),
  );
  const { channel, isNew } = await putExternalChannel(store, { ...wish, ...actor }, caps.perOwner);
  const put = { channel, isNew: isNew || channel.id === draft?.id };
  if (!bots) return put;
  try {
    await setChannelBots(store, { ...actor, channelId: put.channel.id }, bots, caps);
  } catch (error) {
    throw saysWhatIsDone(error as Error, put);
  }
  return put;
}

/** A bot that is full is found when it is attached: the channel is as it shall be by then, and other bots may be in it. */
function saysWhatIsDone(error: Error, { channel, isNew }: PutRoom): Error {
  if (!(error instanceof InvalidInput)) return error;
  const done = `the channel ${channel.id} ${isNew ? "was made" : "is as the item says"}, but its bots may be others`;
  return new InvalidInput(`${error.message}; ${done}: the same item again does the rest`, error.code);
}
