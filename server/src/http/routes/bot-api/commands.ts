import { readCommands, setCommands } from "../../../operations/bots/commands.js";
import type { Api, AppOptions } from "../../api.js";
import { auditOfBot } from "../../requests/audit.js";
import { CommandList, PutCommandsRequest, toCommandList, toCommands } from "../../schemas/commands.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";

/** `/v1/bot-api/commands` */
export function addCommandRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/bot-api/commands",
    {
      schema: extension({
        operationId: "getMyCommands",
        summary: "Tell which commands you offer",
        description: "As you have set them.",
        response: { 200: answer(CommandList, "The commands, in your order.") },
      }),
    },
    async ({ bot }) => toCommandList(await readCommands(store, bot.id)),
  );

  app.put(
    "/v1/bot-api/commands",
    {
      schema: extension({
        operationId: "putMyCommands",
        summary: "Set which commands you offer",
        description:
          "In place of those before, in all your channels: products offer them to people who write there. The feed of the platform says when they change (`bot.commands_set`).",
        body: ref(PutCommandsRequest),
        response: { 200: answer(CommandList, "The commands as they are now."), ...failures(400) },
      }),
    },
    async (request) => {
      const commands = toCommands(request.body);
      await setCommands(store, request.bot.id, commands, { audit: auditOfBot(request) });
      return toCommandList(commands);
    },
  );
}
