import type { AnyUpdate, Author, EventPayloads, InteractionUser } from "../types.js";

export const INTERACTION_CREATED = "interaction.created";

/** What a user of the product did: chose a command, or pressed a button or a select. */
export type InteractionPayload = EventPayloads["interaction.created"];

/** The interaction of an update; undefined of every other one, and of one that was erased. */
export function interactionIn({ event_type: event, payload }: AnyUpdate): InteractionPayload | undefined {
  const interaction = event === INTERACTION_CREATED ? (payload as InteractionPayload) : undefined;
  return interaction?.deleted ? undefined : interaction;
}

/** Who published the post of an update, or did what its interaction says. */
export function authorIn(update: AnyUpdate): Author | undefined {
  const user = interactionIn(update)?.user;
  return user ? { type: "user", ...user } : ((update.payload ?? {}) as { author?: Author }).author;
}

/** The same, without what they are; of a post that is older than authors its name alone. */
export function userIn(update: AnyUpdate): InteractionUser | undefined {
  const { author_username: name } = (update.payload ?? {}) as { author_username?: string };
  const { id, username } = authorIn(update) ?? { id: "", username: name };
  return username ? { id, username } : undefined;
}

/** What handlers of buttons and selects get beside. */
interface Pressed {
  /** What was pressed, by whom, and under which post. */
  interaction: InteractionPayload;
  /** Who pressed it. */
  user: InteractionUser;
  /** What the `*` at the end of the id stands for: `17` of `approve:*` and `approve:17`. Empty for an exact id. */
  rest: string;
}

/** What the context of a button's handler has in addition. */
export interface ButtonMatch extends Pressed {
  /** The button's value, if it has one. */
  value: string | undefined;
}

/** What the context of a select's handler has in addition. */
export interface SelectMatch extends Pressed {
  /** The values of the options that were chosen. */
  values: readonly string[];
}
