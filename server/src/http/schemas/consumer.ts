import { type Static, Type } from "typebox";
import type { Consumer } from "../../domain/events/consumer.js";
import { MAX_DONE_UPDATES } from "../../domain/limits.js";
import { component, listOf } from "./document/component.js";
import { countOf, timeOf, toTime, toTimeOrAbsent } from "./values/scalars.js";
import { ConsumerName } from "./values/text.js";

/** A position may be 0: before the first update. */
const Position = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description, examples: [41] });

export const ConsumerBody = component(
  "Consumer",
  Type.Object(
    {
      name: Type.String({ description: "As it was first written.", examples: ["main"] }),
      position: Position(0, "Every update up to this number is handled."),
      done: Type.Array(Type.Integer({ description: "The `update_id` of an update." }), {
        description: "Updates beyond the position that are handled too, ascending.",
        examples: [[44, 45]],
      }),
      lag: countOf("Numbers up to the end of the log that are not handled."),
      last_polled_at: Type.Optional(
        timeOf("When it was last polled, within 5 s; left out before the first poll."),
      ),
      created_at: timeOf("When it was created."),
    },
    { description: "A named position in a bot's log. An extension of Botyard." },
  ),
);
export const ConsumerList = listOf("ConsumerList", ConsumerBody, "Consumers of one bot.");

export const MoveConsumerRequest = component(
  "MoveConsumerRequest",
  Type.Object(
    {
      position: Position(0, "Every update up to this number is handled."),
      done: Type.Optional(
        Type.Array(Position(1, "The `update_id` of an update."), {
          maxItems: MAX_DONE_UPDATES,
          description:
            "Updates beyond the position that are handled too, in any order. They are added to those sent before. Those that follow the position without a gap advance it.",
          examples: [[44, 45]],
        }),
      ),
      rewind: Type.Optional(
        Type.Boolean({
          description:
            "Sets the position even if it is a lower one, and forgets what was done beyond it but for `done`.",
        }),
      ),
    },
    {
      description: "How far a consumer has handled its bot's updates. An extension of Botyard.",
      examples: [{ position: 41 }],
    },
  ),
);

export const ConsumerPath = Type.Object({ name: ConsumerName });
/** A text that cannot be a consumer's name is simply not found. */
export const AnyConsumerPath = Type.Object({ name: Type.String({ description: "The consumer's name." }) });

export function toConsumerBody(consumer: Consumer): Static<typeof ConsumerBody> {
  return {
    name: consumer.name,
    position: consumer.position,
    done: consumer.done,
    lag: consumer.lag,
    last_polled_at: toTimeOrAbsent(consumer.lastPolledAt),
    created_at: toTime(consumer.createdAt),
  };
}
