import { InvalidInput } from "../../../../domain/errors.js";
import { found } from "../../../../operations/found.js";
import type { Api, AppOptions } from "../../../api.js";
import { answer, ref } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { GivenUpList, HandInRequest, HandInResultBody, toGivenUpBody } from "../../../schemas/given-up.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef, ownerActor } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/given-up` and `/v1/bot-api/bots/{id}/given-up/hand-in` */
export function addBotGivenUpRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/bots/:id/given-up",
    {
      schema: extension({
        operationId: "listGivenUp",
        summary: "List the updates that a bot's programs gave up",
        description:
          "What programs that poll have failed to handle, the 200 with the highest numbers, the highest first. What a webhook refused for good is listed by its delivery errors.",
        params: BotPath,
        response: { 200: answer(GivenUpList, "What they gave up."), ...failures(404) },
      }),
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      return { items: (await store.listGivenUp(bot.id)).map(toGivenUpBody) };
    },
  );

  app.post(
    "/v1/bot-api/bots/:id/given-up/hand-in",
    {
      schema: extension({
        operationId: "handInGivenUp",
        summary: "Have a bot's programs handle again what they gave up",
        description:
          "A program of the SDK notices within 10 seconds, and takes from the list what it handles. One that fails again is given up again.",
        params: BotPath,
        body: ref(HandInRequest),
        response: { 200: answer(HandInResultBody, "How many."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const { update_ids: updateIds, all = false } = request.body;
      if ((updateIds === undefined) !== all)
        throw new InvalidInput("say which updates: either update_ids, or all: true");
      const bot = found(await store.findBot(botRef(request)), "bot");
      return { handed_in: await store.handInGivenUp(bot.id, updateIds, Date.now(), ownerActor(request)) };
    },
  );
}
