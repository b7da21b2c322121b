import { NotFound } from "../../domain/errors.js";
import {
  decodeInteraction,
  decodeResponse,
  type Interaction,
  type Response,
} from "../../domain/events/interaction.js";
import type { InteractionReader, Store } from "../../store/store.js";

export interface InteractionWithResponses {
  interaction: Interaction;
  /** Of its bot. */
  username: string;
  responses: Response[];
}

/** @throws NotFound when there is none, it expired with the updates of its time, or it is of another channel or bot */
export async function readInteraction(
  store: Store,
  reader: InteractionReader,
  id: string,
): Promise<InteractionWithResponses> {
  const found = await store.findInteraction(reader, id);
  const interaction = found && decodeInteraction(found.interaction.payload, found.interaction.createdAt);
  if (!interaction) throw new NotFound("interaction not found", "interaction_not_found");
  const responses = found.responses.map((one) => decodeResponse(one.id, one.payload, one.createdAt));
  return { interaction, username: found.username, responses };
}
