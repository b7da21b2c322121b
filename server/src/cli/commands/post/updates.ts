import type { PostUpdate } from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { findChannel } from "../../input/find.js";
import { limitOf, readPages } from "../../input/values.js";
import { printResult } from "../../output/print.js";
import { stateText } from "../reading/updates.js";

/** `botyard post updates`: a post's update in each bot of its channel. */
export function addPostUpdates(post: Command): void {
  clientCommand(post, "updates <channel> <post>")
    .description("tell for each bot of the channel whether it heard a post, and how its delivery stands")
    .option("--limit <number>", "how many bots", "100")
    .addHelpText("after", "\nExample:\n  botyard post updates news 01a20267-139f-7000-8000-5e0a1c2b3d4e")
    .action(updates);
}

async function updates(
  name: string,
  postId: string,
  options: ClientCommandOptions & { limit: string },
): Promise<void> {
  const limit = limitOf(options.limit);
  const owner = await ownerOf(options);
  const { id } = await findChannel(owner, name);
  const items = await readPages<PostUpdate>(limit, (limit, last) =>
    owner.listPostUpdates(id, postId, { limit, after: last?.bot.id }),
  );
  printResult(
    { items },
    options.json,
    items.map(({ bot, update, reading }) => ({
      bot: bot.username,
      update: update?.update_id ?? "none",
      state: update && stateText(update.state, reading),
      attempts: update?.webhook_attempt_count,
      delivered: update?.delivered_webhook_at,
      error: update?.last_delivery_error || undefined,
    })),
  );
}
