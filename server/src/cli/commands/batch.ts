import type {
  BatchChannel,
  BatchEvent,
  BatchPost,
  ChannelBatchItem,
  EventBatchItem,
  PostBatchItem,
} from "@botyard/sdk";
import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { objectsIn } from "../input/json.js";
import { printResult, say } from "../output/print.js";

/** `botyard batch`: many posts, events or channels in few calls. */
export function addBatch(program: Command): void {
  const batch = program
    .command("batch")
    .description("publish many posts, emit many events, or put many channels, from a file");

  clientCommand(batch, "posts <file>")
    .description("publish the posts of a file, a JSON object a line; - reads it from stdin")
    .addHelpText(
      "after",
      `
Example:
  echo '{"external_id": "room-42", "body": "Hello", "idempotency_key": "message-1"}' | botyard batch posts -`,
    )
    .action(posts);

  clientCommand(batch, "events <file>")
    .description("emit the custom events of a file, a JSON object a line; - reads it from stdin")
    .addHelpText(
      "after",
      `
Example:
  echo '{"external_id": "room-42", "event_type": "room.opened", "payload": {}}' | botyard batch events -`,
    )
    .action(events);

  clientCommand(batch, "channels <file>")
    .description(
      "create or change the channels of a file, with their bots, a JSON object a line; - reads it from stdin",
    )
    .addHelpText(
      "after",
      `
Example:
  echo '{"external_id": "room-42", "title": "Room 42", "bot_ids": []}' | botyard batch channels -`,
    )
    .action(channels);
}

async function posts(file: string, options: ClientCommandOptions): Promise<void> {
  const lines: number[] = [];
  const owner = await ownerOf(options);
  print(await owner.createPosts(objectsIn<BatchPost>(file, lines)), lines, "published", options);
}

async function events(file: string, options: ClientCommandOptions): Promise<void> {
  const lines: number[] = [];
  const owner = await ownerOf(options);
  print(await owner.emitEvents(objectsIn<BatchEvent>(file, lines)), lines, "emitted", options);
}

async function channels(file: string, options: ClientCommandOptions): Promise<void> {
  const lines: number[] = [];
  const owner = await ownerOf(options);
  print(await owner.putExternalChannels(objectsIn<BatchChannel>(file, lines)), lines, "done", options);
}

/**
 * Prints what failed, and how many did not. The exit code is 1 when something failed.
 *
 * @param lines the line number of each item
 */
function print(
  items: readonly (PostBatchItem | EventBatchItem | ChannelBatchItem)[],
  lines: readonly number[],
  done: string,
  { json }: ClientCommandOptions,
): void {
  const rows = items.flatMap(({ status, code, error }, index) =>
    error === undefined ? [] : [{ line: lines[index], status, code, error }],
  );
  if (json || rows.length > 0) printResult({ items }, json, rows);
  say(`${items.length - rows.length} ${done}, ${rows.length} refused`);
  if (rows.length > 0) process.exitCode = 1;
}
