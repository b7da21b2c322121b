import { deleteConsumer } from "../../../operations/logs/delete-consumer.js";
import { moveConsumer } from "../../../operations/logs/move-consumer.js";
import type { Api, AppOptions } from "../../api.js";
import { auditOfBot } from "../../requests/audit.js";
import {
  AnyConsumerPath,
  ConsumerBody,
  ConsumerList,
  ConsumerPath,
  MoveConsumerRequest,
  toConsumerBody,
} from "../../schemas/consumer.js";
import { DeleteStatusBody } from "../../schemas/delivery/webhook.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";

/** `/v1/bot-api/consumers` and `/v1/bot-api/consumers/{name}` */
export function addConsumerRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/consumers",
    {
      schema: extension({
        operationId: "listConsumers",
        summary: "List your consumers",
        description: "The positions that the service keeps for you, with how far each is behind.",
        response: { 200: answer(ConsumerList, "Your consumers, oldest first.") },
      }),
    },
    async ({ bot }) => ({ items: (await store.listConsumers(bot.id)).map(toConsumerBody) }),
  );

  app.put(
    "/v1/bot-api/consumers/:name",
    {
      schema: extension({
        operationId: "moveConsumer",
        summary: "Say how far a consumer has handled your updates",
        description:
          "When the answer comes, the position is stored safely. It moves forward only: a lower `position` is refused unless `rewind` is true or `done` names numbers, which are then added and the position stays. Of two calls at once the one with the higher position wins. A consumer that does not exist is created.",
        params: ConsumerPath,
        body: ref(MoveConsumerRequest),
        response: { 200: answer(ConsumerBody, "The consumer as it is now."), ...failures(400) },
      }),
    },
    async ({ bot, params: { name }, body: { position, done = [], rewind = false } }) =>
      toConsumerBody(await moveConsumer(store, bot.id, name, { position, done, rewind })),
  );

  app.delete(
    "/v1/bot-api/consumers/:name",
    {
      schema: extension({
        operationId: "deleteConsumer",
        summary: "Forget a consumer",
        description: "Your updates stay. Reading with its name again creates another one.",
        params: AnyConsumerPath,
        response: { 200: answer(DeleteStatusBody, "The consumer is gone."), ...failures(404) },
      }),
    },
    async (request) => {
      const { bot, params } = request;
      await deleteConsumer(store, bot.id, params.name, { audit: auditOfBot(request) });
      return { status: "deleted" };
    },
  );
}
