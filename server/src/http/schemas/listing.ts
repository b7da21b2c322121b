import { type Static, Type } from "typebox";
import type { Bot } from "../../domain/bots/bot.js";
import { decodeCommands } from "../../domain/bots/commands.js";
import { type BotProfile, type FullProfile, REVIEW_STATES } from "../../domain/bots/listing.js";
import { MAX_DESCRIPTION_CODE_POINTS } from "../../domain/limits.js";
import type { ListedPage, LookedThrough } from "../../store/store.js";
import { BotBody, BotVerdict, toBotBody } from "./bot.js";
import { CommandBody, toCommandList } from "./commands.js";
import { component, enumOf, itemsOf, ref, refWith } from "./document/component.js";
import { idOf, limitOf, queryOf } from "./values/scalars.js";
import { cleanText, Search, searchedFor } from "./values/text.js";

const ReviewState = enumOf(
  "BotReviewState",
  REVIEW_STATES,
  "Where a listed bot stands with the platform: `waiting` until it decides.",
);

export const BotProfileBody = component(
  "BotProfile",
  Type.Object(
    {
      id: idOf("The bot's identifier."),
      username: Type.String({ description: "The bot's username.", examples: ["weather_bot"] }),
      display_name: Type.String({ description: "The bot's name for people.", examples: ["Weather"] }),
      description: Type.String({ description: "What the bot does; empty when nothing was given." }),
      may_attach: Type.Boolean({
        description:
          "Whether you may attach it: it is listed, or yours. Where it is attached already, it stays.",
      }),
      is_attached_by_you: Type.Boolean({ description: "Whether it is in a channel that you hold." }),
      commands: Type.Optional(
        Type.Array(ref(CommandBody), {
          description:
            "What it offers. Only in the answer of `getBotProfile`, and left out when that is nothing.",
        }),
      ),
    },
    { description: "A bot as every owner may see it. An extension of Botyard." },
  ),
);

const NextCursor = Type.Optional(
  Type.String({
    description:
      "The `cursor` of the next page; left out at the end. A call looks at 1,000 listed bots at most, so a page may have few items, or none, and be followed by another.",
  }),
);

export const BotProfilePage = component(
  "BotProfilePage",
  Type.Object(
    { items: itemsOf(BotProfileBody), next_cursor: NextCursor },
    { description: "Listed bots. An extension of Botyard." },
  ),
);

export const BotReviewPage = component(
  "BotReviewPage",
  Type.Object(
    { items: itemsOf(BotBody), next_cursor: NextCursor },
    { description: "Bots that their owners have listed. An extension of Botyard." },
  ),
);

export const PutBotReviewRequest = component(
  "PutBotReviewRequest",
  Type.Object(
    {
      status: ref(BotVerdict),
      note: Type.Optional(
        cleanText("Why, for the bot's owner; empty when left out.", "Fine.", 0, MAX_DESCRIPTION_CODE_POINTS),
      ),
    },
    {
      description: "The platform's decision on a bot. An extension of Botyard.",
      examples: [{ status: "approved" }],
    },
  ),
);

const page = {
  q: Type.Optional({
    ...Search,
    description:
      "Only bots with this in their username, display name or description, whatever the case of ASCII letters.",
  }),
  limit: limitOf("Most bots to return."),
  cursor: Type.Optional(Type.String({ description: "The `next_cursor` of the page before." })),
};
export const ListedBotsQuery = queryOf(page);
export const ReviewsQuery = queryOf({
  ...page,
  state: Type.Optional(
    refWith(ReviewState, { description: "Only bots that stand so; all of them when left out." }),
  ),
});

export const listingComponents = [
  ReviewState,
  BotProfileBody,
  BotProfilePage,
  BotReviewPage,
  PutBotReviewRequest,
];

/** @param cursor the id of a bot, as the store reads it */
export function toListedPage(
  { q, limit }: { q?: string; limit: number },
  cursor: string | undefined,
): ListedPage {
  return { limit, after: cursor, search: searchedFor(q) };
}

function toProfileBody(profile: BotProfile): Static<typeof BotProfileBody> {
  return {
    id: profile.id,
    username: profile.username,
    display_name: profile.displayName,
    description: profile.description,
    may_attach: true,
    is_attached_by_you: profile.isAttachedByYou,
  };
}

export function toFullProfileBody(profile: FullProfile): Static<typeof BotProfileBody> {
  const { items } = toCommandList(decodeCommands(profile.commands ?? null));
  return {
    ...toProfileBody(profile),
    may_attach: profile.isOffered,
    ...(items.length > 0 && { commands: items }),
  };
}

export function toProfilePage({ items, next }: LookedThrough<BotProfile>): Static<typeof BotProfilePage> {
  return { items: items.map(toProfileBody), next_cursor: next };
}

export function toReviewPage({ items, next }: LookedThrough<Bot>): Static<typeof BotReviewPage> {
  return { items: items.map(toBotBody), next_cursor: next };
}
