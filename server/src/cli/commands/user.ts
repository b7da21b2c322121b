import type { Command } from "commander";
import { type ClientCommandOptions, platformOf, serviceCommand } from "../client.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../input/confirm.js";
import { printResult, say } from "../output/print.js";

/** Between two calls of an erasure, so that others come first. */
const ERASURE_PAUSE_MS = 200;

/** `botyard user`: a user of the product, with the token of the platform. */
export function addUser(program: Command): void {
  const user = program.command("user").description("erase a user of your product, with the platform's token");

  confirmedCommand(serviceCommand(user, "erase <user>"))
    .description("erase all that is stored in the name of a user of your product, whoever published it")
    .addHelpText("after", "\nExample:\n  BOTYARD_TOKEN=$PLATFORM_TOKEN botyard user erase user-7 --yes")
    .action(erase);
}

async function erase(user: string, options: ClientCommandOptions & ConfirmOptions): Promise<void> {
  const platform = await platformOf(options);
  await confirm(`erase the user ${user} from everything that any owner has`, options);
  let answer = await platform.eraseUser(user);
  if (answer.status === "erasing") say("erasing; this takes a while");
  while (answer.status === "erasing") {
    await new Promise((resolve) => setTimeout(resolve, ERASURE_PAUSE_MS));
    answer = await platform.eraseUser(user);
  }
  printResult(answer, options.json, [{ user, status: answer.status }]);
}
