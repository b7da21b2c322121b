import { forgetGivenUp } from "../../../operations/logs/forget-given-up.js";
import { giveUpUpdate } from "../../../operations/logs/give-up-update.js";
import type { Api, AppOptions } from "../../api.js";
import { AnyConsumerPath } from "../../schemas/consumer.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  GivenUpList,
  GivenUpPath,
  GivenUpStatusBody,
  GiveUpRequest,
  toGivenUpBody,
} from "../../schemas/given-up.js";
import { extension } from "../../surface.js";
import { updateIdFrom } from "../refs.js";

/** `/v1/bot-api/consumers/{name}/given-up` and `/v1/bot-api/consumers/{name}/given-up/{updateId}` */
export function addGivenUpRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/consumers/:name/given-up",
    {
      schema: extension({
        operationId: "listMyGivenUp",
        summary: "List what you gave up",
        description:
          "The updates that you gave up while you read for this consumer, the highest numbers first. Those with `handed_in_at` your owner asks you to handle again: read each by `offset`, and take it from the list when it is handled.",
        params: AnyConsumerPath,
        response: { 200: answer(GivenUpList, "What you gave up.") },
      }),
    },
    async ({ bot, params: { name } }) => {
      const items = await store.listGivenUp(bot.id);
      return { items: items.filter(({ consumer }) => consumer === name.toLowerCase()).map(toGivenUpBody) };
    },
  );

  app.put(
    "/v1/bot-api/consumers/:name/given-up/:updateId",
    {
      schema: extension({
        operationId: "giveUpUpdate",
        summary: "Say that you give up an update",
        description:
          "For an update that you failed to handle and will not try again by yourself. Your owner sees it, and can ask for it to be handled again. Say so before you move the consumer past it. Repeating it does no harm.",
        params: GivenUpPath,
        body: ref(GiveUpRequest),
        response: { 200: answer(GivenUpStatusBody, "It is listed."), ...failures(400, 404) },
      }),
    },
    async ({ bot, params: { name, updateId }, body: { error } }) => {
      await giveUpUpdate(store, bot.id, updateIdFrom(updateId), name, error);
      return { status: "given_up" };
    },
  );

  app.delete(
    "/v1/bot-api/consumers/:name/given-up/:updateId",
    {
      schema: extension({
        operationId: "forgetGivenUp",
        summary: "Say that an update you gave up is handled",
        description: "Takes it from the list.",
        params: GivenUpPath,
        response: { 200: answer(GivenUpStatusBody, "It is not listed any more."), ...failures(404) },
      }),
    },
    async ({ bot, params: { name, updateId } }) => {
      await forgetGivenUp(store, bot.id, updateIdFrom(updateId), name);
      return { status: "handled" };
    },
  );
}
