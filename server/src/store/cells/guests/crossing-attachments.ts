import type { ReviewRule } from "../../../domain/bots/listing.js";
import type { AuditContext, ChannelRules, NewDirectChannel, Store } from "../../store.js";
import type { StoreVerbs } from "../../verbs.js";
import type { Locations } from "../locations.js";
import type { Apart, Crossings } from "./apart.js";
import { type AttachmentChange, auditApart, type Change, changeNotice } from "./changes.js";
import { changesFor, guestOwnerOf, isGuest, isLogId, outboxFor, ownerOfGuests } from "./guests.js";
import { copyOf, makeChangesLog, makeLogs, refuseWhileMoving, showChannel } from "./introduce.js";
import type { Relay } from "./relay.js";

type AttachmentVerb = "attachBot" | "createDirectChannel" | "detachBot" | "findAttachedChannel";

/**
 * Whether a bot is in a channel of another cell is decided in the bot's cell, by the statements that decide it of any bot. The same transaction
 * tells the channel's cell, which follows (`follow-change.ts`). What was posted before is carried before, so that a bot hears what was posted
 * while it was there.
 */
export function attachmentVerbs(
  verbs: StoreVerbs,
  locations: Locations,
  { cellOf, findApart, ownerOf, hasMoved: areApartNow, hasLeft, hasMakerLeft }: Crossings,
  relay: Pick<Relay, "settle">,
): Pick<Store, AttachmentVerb> {
  /** Waits until what happened in the holder's channels until now is with the bots of the other cell. */
  const carried = ({ home, away }: Apart, holder: string): Promise<void> =>
    relay.settle(away, [outboxFor(home.number).id], holder);
  /** Waits until the channel's cell has followed what was done for the holder. */
  const followed = ({ home, away }: Apart, holder: string): Promise<void> =>
    relay.settle(home, [changesFor(away.number).id], holder);

  const isOffered = async ({ home }: Apart, botId: string, holder: string, rule: ReviewRule) => {
    const profile = await home.store.findProfile(holder, rule, botId);
    return profile?.isOffered || profile?.isAttachedByYou;
  };

  const crossing: Pick<Store, AttachmentVerb> = {
    async attachBot(ref, channelId, event, rules = {}, role) {
      const { ownerUserId: holder, botId, audit, isPlatform } = ref;
      if (isLogId(botId)) return undefined;
      const home = await cellOf(botId);
      const away = await locations.findCellOf(holder);
      /** What was not found where the holder, or the bot, was is found where they have moved to meanwhile. */
      const elsewhere = async () =>
        (away && (await hasLeft(holder, away))) || (home && (await hasMakerLeft(botId, home)))
          ? await crossing.attachBot(ref, channelId, event, rules, role)
          : undefined;
      if (!home || !away || home === away)
        return (await verbs.attachBot(ref, channelId, event, rules, role)) ?? (home && (await elsewhere()));
      const apart = { home, away };
      const review = rules.review === "required" ? "required" : "off";
      const channel = await away.store.findChannel({ ownerUserId: holder, channelId });
      if (!channel) return await elsewhere();
      if (!(await isOffered(apart, botId, holder, review))) return await elsewhere();
      await makeLogs(apart);
      const by = isPlatform ? "platform" : "holder";
      const attachment = { channelId, holder, by, event } as const;
      const change: Change = { ownerUserId: await ownerOf(botId), botId, attachment };
      await showChannel(apart, channel, changeNotice(change, away));
      await carried(apart, holder);
      const tell = changeNotice({ ...change, entry: entryOf(audit, botId, channelId) }, away);
      const host = { ownerUserId: guestOwnerOf(holder), botId, tell };
      const attached = await home.store
        .attachBot(host, channelId, event, { ...rules, review }, role)
        .catch(refuseWhileMoving);
      if (!attached) return await elsewhere();
      if (typeof attached === "string") return attached;
      await followed(apart, holder);
      const isThere = await away.store.findChannel({ ownerUserId: holder, channelId });
      return isThere ? { ...attached, attachedBy: ownerOfGuests(attached.attachedBy) } : await elsewhere();
    },

    /** The channel is made by the cell that follows, with the bot in it. */
    async createDirectChannel(channel, event, rules) {
      const { ownerUserId: holder, directBotId: botId, directUserId: userId } = channel;
      const home = await cellOf(botId);
      const away = home && (await locations.assignOwner(holder));
      if (!away || home === away) return await verbs.createDirectChannel(channel, event, rules);
      const apart = { home, away };
      const review = rules.review === "required" ? "required" : "off";
      if (!(await isOffered(apart, botId, holder, review))) return undefined;
      const direct = { ownerUserId: holder, botId, userId };
      if (await away.store.findDirectChannel(direct)) return "there";
      await makeLogs(apart);
      await carried(apart, holder);
      const change = directChange(channel, event, rules);
      const tell = changeNotice({ ownerUserId: await ownerOf(botId), botId, attachment: change }, away);
      const copy = { ...copyOf(channel), directBotId: botId, tell };
      // With the bot in it, in one transaction: no crash leaves a copy that the other cell does not hear of.
      const copied = await home.store
        .createDirectChannel(copy, event, { ...rules, review })
        .catch(refuseWhileMoving);
      // Another call makes it, or its deletion is not carried yet.
      if (typeof copied === "object" || copied === "there") await followed(apart, holder);
      if (typeof copied !== "object") return copied;
      const made = await away.store.findDirectChannel(direct);
      if (!made) {
        if (!(await home.store.findProfile(holder, review, botId))) return undefined;
        const channels = await away.store.listChannels(holder, rules.perOwner);
        // Or it was made, and deleted since, which the caller takes as it would any channel that others make and delete.
        return channels.length >= rules.perOwner ? "too many channels" : "there";
      }
      if (made.id !== channel.id) return "there";
      locations.learn(made.id, holder);
      return made;
    },

    async detachBot(ref, channelId, event) {
      const { botId, ownerUserId, audit, isPlatform } = ref;
      const apart = await findApart(botId, channelId);
      if (!apart) {
        const isDetached = await verbs.detachBot(ref, channelId, event);
        return isDetached || !(await areApartNow(botId, channelId))
          ? isDetached
          : await crossing.detachBot(ref, channelId, event);
      }
      const [holder, owner] = [locations.ownerOf({ id: channelId }), await ownerOf(botId)];
      const isHolder = holder === ownerUserId;
      if (holder === undefined || (!isHolder && owner !== ownerUserId)) return false;
      const attachment: AttachmentChange = {
        channelId,
        holder,
        by: isHolder ? (isPlatform ? "platform" : "holder") : "bot",
        event,
      };
      // Each reads it in their own log, which is in their own cell.
      const { own, told } = isHolder ? { told: audit } : auditApart(audit);
      const entry = entryOf(told, botId, channelId);
      const tell = changeNotice({ ownerUserId: owner, botId, attachment, entry }, apart.away);
      const by = isHolder ? { ownerUserId: guestOwnerOf(holder), botId, isPlatform } : { ...ref, audit: own };
      // A bot leaves, whether or not the other cell can be asked now.
      const ifItCan = (step: Promise<void>): Promise<void> => (isHolder ? step : step.catch(() => {}));
      await ifItCan(carried(apart, holder));
      // Where both were moved at once, it may not be there.
      await makeChangesLog(apart.home, apart.away.number);
      const isDetached = await apart.home.store
        .detachBot({ ...by, tell }, channelId, event)
        .catch(refuseWhileMoving);
      const hasMoved = async () =>
        (isHolder && (await hasLeft(holder, apart.away))) || (await hasMakerLeft(botId, apart.home));
      if (!isDetached && (await hasMoved())) return await crossing.detachBot(ref, channelId, event);
      await ifItCan(followed(apart, holder));
      return isDetached;
    },

    async findAttachedChannel(ref, channelId) {
      const channel = isLogId(ref.botId) ? undefined : await verbs.findAttachedChannel(ref, channelId);
      if (!channel || !isGuest(channel.ownerUserId)) return channel;
      return { ...channel, ownerUserId: ownerOfGuests(channel.ownerUserId) };
    },
  };
  return crossing;
}

/** The holder's, of an attachment. */
const entryOf = (audit: AuditContext | undefined, id: string, channelId: string): Change["entry"] =>
  audit && { audit, target: { type: "attachment", id, channelId } };

function directChange(
  channel: NewDirectChannel,
  event: AttachmentChange["event"],
  rules: ChannelRules,
): AttachmentChange {
  const { audit, isPlatform, tell: _, ...made } = channel;
  const { perOwner } = rules;
  return {
    channelId: channel.id,
    holder: channel.ownerUserId,
    by: isPlatform ? "platform" : "holder",
    event,
    direct: { channel: made, rules: { perOwner }, audit },
  };
}
