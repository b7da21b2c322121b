import { type BotRole, READ_ONLY_ROLE } from "../../../domain/events/channel.js";
import {
  actorType,
  INTERACTION_CREATED,
  INTERACTION_RESPONDED,
  type StoredEvent,
} from "../../../domain/events/event.js";
import { INTERACTION_MS, MAX_RESPONSES } from "../../../domain/events/interaction.js";
import { isErased } from "../../../domain/events/post.js";
import { inColumns } from "../../shared/post-columns.js";
import type { LogHead, ResponseRefusal, ResponseToAppend } from "../../store.js";
import type { Database } from "../binding.js";
import { eventWriter } from "../channels/channel-events.js";
import { feedFinder } from "../feed/feed.js";
import { feedOfChannel } from "../feed/feed-log.js";
import type { AppendedPosts, EventVerbs, Verbs } from "../verbs.js";
import { idempotencyKeys, type KeyScope } from "./idempotency-keys.js";
import { AWAY_FROM } from "./posts.js";

type InteractionVerbs = Pick<EventVerbs, "appendInteraction" | "appendResponse"> &
  Pick<Verbs, "findInteraction" | "findResponse">;

/** A bot, and its role in a channel; null when it is not attached. */
interface Participant {
  botKey: number;
  role: BotRole | null;
  isDisabled: 0 | 1;
  awayFrom: string | null;
}

interface InteractionRow extends StoredEvent {
  eventKey: number;
  channelKey: number;
  username: string;
}

const EVENT = "p.id, p.event_type AS eventType, p.payload, p.created_at AS createdAt";

export function interactionVerbs(
  db: Database,
  { appendPosts }: Pick<Verbs, "appendPosts">,
  { editPost }: Pick<EventVerbs, "editPost">,
): InteractionVerbs {
  const selectHeld = db.prepare("SELECT channel_key AS key FROM channels WHERE id = ? AND owner_user_id = ?");
  const selectParticipant = db.prepare(`
    SELECT b.bot_key AS botKey, a.role, b.disabled_at IS NOT NULL AS isDisabled, ${AWAY_FROM}
    FROM bots b LEFT JOIN channels c ON c.channel_key = ?2
    LEFT JOIN attachments a ON a.channel_key = c.channel_key AND a.bot_key = b.bot_key
    WHERE b.id = ?1 AND b.token_hash = ifnull(?3, b.token_hash)`);
  const select = (condition: string) =>
    db.prepare(`
    SELECT p.event_key AS eventKey, p.channel_key AS channelKey, b.username, ${EVENT}
    FROM events p JOIN bots b ON b.bot_key = -p.subject_key
    WHERE p.id = ?1 AND p.event_type = '${INTERACTION_CREATED}' AND ${condition}`);
  const selectInChannel = select(
    "p.channel_key = (SELECT channel_key FROM channels WHERE id = ?2 AND owner_user_id = ?3)",
  );
  const selectOfBot = select("p.subject_key = (SELECT -bot_key FROM bots WHERE id = ?2)");
  const selectResponses = db.prepare(`
    SELECT ${EVENT} FROM events p WHERE p.subject_key = ? ORDER BY p.event_key LIMIT ${MAX_RESPONSES}`);
  const selectResponse = db.prepare(`
    SELECT ${EVENT} FROM events p
    WHERE p.channel_key = (SELECT channel_key FROM channels WHERE id = ? AND owner_user_id = ?) AND p.is_listed = 0 AND p.id = ?
      AND p.event_type = '${INTERACTION_RESPONDED}'`);
  const keys = idempotencyKeys(db);
  const writeEvent = eventWriter(db);
  const findFeed = feedFinder(db);
  const feedOf = feedOfChannel(db);

  const participant = (botId: string, channelKey: number, tokenHash?: string) =>
    selectParticipant.get(botId, channelKey, tokenHash ?? null) as Participant | undefined;

  /** Stores what a response is besides. @returns the logs that grew, or why nothing was stored */
  const writeContent = ({ post, edit }: ResponseToAppend): LogHead[] | ResponseRefusal => {
    if (post) {
      const appended = appendPosts(inColumns([post]));
      if (appended.readOnly) return "read only";
      return appended.channelKeys[0] === null ? "not attached" : headsOf(appended);
    }
    if (!edit) return [];
    const { result, heads } = editPost(edit);
    return result === true ? heads : (result ?? "no post");
  };

  return {
    appendInteraction({ channelId, botId, event, idempotencyKey, ...owner }) {
      const channel = selectHeld.get(channelId, owner.ownerUserId) as { key: number } | undefined;
      if (!channel) return { result: "no channel", heads: [] };
      const bot = participant(botId, channel.key);
      if (!bot?.role) return { result: "not attached", heads: [] };
      const scope = keyed(channel.key, { interactorUserId: owner.ownerUserId }, idempotencyKey);
      const earlier = scope && keys.find(scope);
      if (earlier) return { result: earlier, heads: [] };
      if (bot.role === READ_ONLY_ROLE) return { result: "read only", heads: [] };
      if (bot.isDisabled) return { result: "disabled", heads: [] };
      if (scope) keys.keep(scope, event);
      const context = { channelKey: channel.key, subjectKey: -bot.botKey, actor: actorType(owner) };
      return { result: true, heads: writeEvent(event, context, [bot.botKey]) };
    },

    findInteraction(reader, id) {
      const row =
        "botId" in reader
          ? selectOfBot.get(id, reader.botId)
          : selectInChannel.get(id, reader.channelId, reader.ownerUserId);
      if (!row) return undefined;
      const { eventKey, username, eventType, payload, createdAt } = row as InteractionRow;
      const interaction = { id, eventType, payload, createdAt };
      return { interaction, username, responses: selectResponses.all(eventKey) as StoredEvent[] };
    },

    findResponse: ({ channelId, ownerUserId }, id) =>
      selectResponse.get(channelId, ownerUserId, id) as StoredEvent | undefined,

    appendResponse(response) {
      const { interactionId, botId, tokenHash, event, idempotencyKey } = response;
      const refuse = (result: ResponseRefusal | undefined) => ({ result, heads: [] });
      const found = selectOfBot.get(interactionId, botId) as InteractionRow | undefined;
      // A response to one that was erased meanwhile would name its user.
      if (!found || isErased(found.payload)) return refuse(undefined);
      const { eventKey, channelKey, createdAt } = found;
      const bot = participant(botId, channelKey, tokenHash);
      if (!bot || bot.isDisabled) return refuse(undefined);
      const scope = keyed(channelKey, { interactionKey: eventKey }, idempotencyKey);
      const earlier = scope && keys.find(scope);
      if (earlier) return { result: earlier, heads: [] };
      if (!bot.role) return refuse("not attached");
      if (bot.role === READ_ONLY_ROLE) return refuse("read only");
      if (event.createdAt >= createdAt + INTERACTION_MS) return refuse("expired");
      if (selectResponses.all(eventKey).length === MAX_RESPONSES) return refuse("too many");
      const heads = writeContent(response);
      if (typeof heads === "string") return refuse(heads);
      if (scope) keys.keep(scope, event);
      const feedKey = findFeed() && feedOf(channelKey);
      const context = {
        channelKey,
        subjectKey: eventKey,
        ownerUserId: bot.awayFrom,
        actor: "bot",
        actorKey: bot.botKey,
      } as const;
      return {
        result: true,
        heads: [...heads, ...writeEvent(event, context, feedKey === undefined ? [] : [feedKey])],
      };
    },
  };
}

function keyed(targetKey: number, author: KeyScope["author"], key: string | undefined): KeyScope | undefined {
  return key === undefined ? undefined : { targetKey, author, key };
}

function headsOf({ botIds, lastUpdateIds, areClaimable, areFurtherClaimable }: AppendedPosts): LogHead[] {
  return botIds.map((botId, index) => ({
    botId,
    lastUpdateId: lastUpdateIds[index] as number,
    isClaimable: areClaimable[index] as boolean,
    ...(areFurtherClaimable?.has(index) && { isFurtherClaimable: areFurtherClaimable.get(index) }),
  }));
}
