import type { Logger } from "pino";
import { InvalidInput } from "../../domain/errors.js";
import type { Cause } from "../../domain/events/cause.js";
import { createLogThrottle } from "../../domain/log-throttle.js";
import type { Fairness } from "../../fairness/fairness.js";
import { type ResponseDraft, respond } from "../../operations/interactions/respond.js";
import { type Store, StoreUnavailable } from "../../store/store.js";
import { refusalOf } from "../error-response.js";
import { chargeForEvent } from "../limits/owner-turns.js";
import { OwnerPostLimit, type PostLimit } from "../limits/post-limit.js";
import { validatorOf } from "../schemas/document/compile-on-use.js";
import { RespondRequest } from "../schemas/events/interaction.js";
import { invalidInput } from "./input-message.js";
import { changesPrototypes, NO_PROTOTYPE_KEYS } from "./json-body.js";

/** One line about each bot in this time. */
const LOG_INTERVAL_MS = 60_000;
/** The same for an interaction however often its update is sent. No header can be empty, so no bot uses this one. */
const KEY_OF_FIRST = "";

interface ResponseTakerOptions {
  store: Store;
  fairness: Pick<Fairness, "turns" | "listeners">;
  logger: Logger;
  postLimit: PostLimit;
  /** Of the text of a response. */
  maxPostCharacters: number;
}

/**
 * Takes the `response` in a webhook's answer to an interaction as the bot's response. An answer without one is like any other. What is refused
 * is logged: the answer has accepted the update, so it is not sent again.
 *
 * @returns takes the answer to an update, and tells why it has to be sent again: the store cannot serve now, or the owner publishes too much now
 */
export function createResponseTaker({
  store,
  fairness,
  logger,
  postLimit,
  maxPostCharacters,
}: ResponseTakerOptions) {
  const validate = checkResponse(maxPostCharacters);
  const mayLog = createLogThrottle(LOG_INTERVAL_MS);
  return async (
    { botId, ownerUserId }: { botId: string; ownerUserId: string },
    { payload, cause }: { payload: string; cause?: Cause | undefined },
    answerText: string,
  ): Promise<string | undefined> => {
    const { interaction_id: id = "" } = JSON.parse(payload) as { interaction_id?: string };
    try {
      const given = responseIn(answerText);
      if (given === undefined) return undefined;
      const draft = { ...validate(given), idempotencyKey: KEY_OF_FIRST, cause };
      const admit = (channelId: string) => postLimit.admitIn(channelId, ownerUserId);
      const { post } = await respond(store, { botId }, id, draft, admit);
      if (post) {
        const { channelId } = post;
        await chargeForEvent(fairness, ownerUserId, { channelId, isPost: draft.type === "post" });
      }
      return undefined;
    } catch (error) {
      if (error instanceof StoreUnavailable) return "the response in the answer could not be stored";
      if (error instanceof OwnerPostLimit) return error.message;
      const { code, message } = refusalOf(error as Error);
      if (mayLog(botId))
        logger.warn(
          { event: "response_refused", botId, interactionId: id, code, error: message },
          "a webhook answered an interaction with a response that is refused",
        );
      return undefined;
    }
  };
}

/**
 * Undefined when the text is no JSON object with this field.
 *
 * @throws InvalidInput when it begins as an object and is none
 */
function responseIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { response?: unknown } | null)?.response;
  } catch {
    if (!text.trimStart().startsWith("{")) return undefined;
    throw new InvalidInput("the answer must be JSON", "invalid_json");
  }
}

/** @returns checks a response as the body of a request is checked */
function checkResponse(maxPostCharacters: number): (given: unknown) => ResponseDraft {
  const validate = validatorOf(RespondRequest, maxPostCharacters);
  return (given) => {
    if (changesPrototypes(given))
      throw new InvalidInput(`response must be ${NO_PROTOTYPE_KEYS}`, "invalid_json");
    if (validate(given) === true) return given as ResponseDraft;
    const [invalid] = validate.errors ?? [];
    throw invalid ? invalidInput(invalid, "response") : new InvalidInput("response is not valid");
  };
}
