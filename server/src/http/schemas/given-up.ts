import { type Static, Type } from "typebox";
import type { GivenUp } from "../../domain/events/consumer.js";
import { MAX_GIVEN_UP_ERROR_CHARS, MAX_GIVEN_UP_PER_BOT } from "../../domain/limits.js";
import { component, listOf } from "./document/component.js";
import { countOf, timeOf, toTime, toTimeOrAbsent } from "./values/scalars.js";
import { cleanText } from "./values/text.js";

const UpdateId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The `update_id` of an update.",
  examples: [42],
});

export const GivenUpBody = component(
  "GivenUp",
  Type.Object(
    {
      update_id: UpdateId,
      consumer: Type.String({
        description: "The consumer that the program reads for, in lower case.",
        examples: ["main"],
      }),
      error: Type.String({
        description: "Why, in the program's words.",
        examples: ["TypeError: price is undefined"],
      }),
      given_up_at: timeOf("When the program gave it up, for the last time."),
      handed_in_at: Type.Optional(
        timeOf(
          "When its owner asked for it to be handled again; left out before, and once it was given up again.",
        ),
      ),
    },
    {
      description:
        "An update that a bot's program failed to handle and tries no more. An extension of Botyard.",
    },
  ),
);
export const GivenUpList = listOf("GivenUpList", GivenUpBody, "Updates that a bot's programs gave up.");

export const GiveUpRequest = component(
  "GiveUpRequest",
  Type.Object(
    {
      error: cleanText(
        "Why, for the owner to read.",
        "TypeError: price is undefined",
        0,
        MAX_GIVEN_UP_ERROR_CHARS,
      ),
    },
    {
      description: "Why a program gives an update up. An extension of Botyard.",
      examples: [{ error: "TypeError: price is undefined" }],
    },
  ),
);

export const HandInRequest = component(
  "HandInRequest",
  Type.Object(
    {
      update_ids: Type.Optional(
        Type.Array(UpdateId, {
          minItems: 1,
          maxItems: MAX_GIVEN_UP_PER_BOT,
          uniqueItems: true,
          description: "Which of them.",
        }),
      ),
      all: Type.Optional(Type.Boolean({ description: "In place of `update_ids`: all that are listed." })),
    },
    {
      description: "Which updates are to be handled again. An extension of Botyard.",
      examples: [{ update_ids: [42] }],
    },
  ),
);

export const HandInResultBody = component(
  "HandInResult",
  Type.Object(
    { handed_in: countOf("Updates in the list that the program is asked to handle again.") },
    { description: "How many updates are to be handled again. An extension of Botyard." },
  ),
);

/** The answer to a change of the list by its bot. */
export const GivenUpStatusBody = component(
  "GivenUpStatus",
  Type.Object(
    { status: Type.String({ description: "What the update is now.", examples: ["given_up"] }) },
    { description: "The answer of a bot's change of its list. An extension of Botyard." },
  ),
);

export const GivenUpPath = Type.Object({
  name: Type.String({ description: "The consumer's name." }),
  updateId: Type.String({ description: "The `update_id` of one of the bot's updates." }),
});

export function toGivenUpBody(givenUp: GivenUp): Static<typeof GivenUpBody> {
  const { updateId, consumer, error, givenUpAt, handedInAt } = givenUp;
  return {
    update_id: updateId,
    consumer,
    error,
    given_up_at: toTime(givenUpAt),
    handed_in_at: toTimeOrAbsent(handedInAt),
  };
}
