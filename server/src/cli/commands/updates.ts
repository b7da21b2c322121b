import type { OwnerClient, OwnerUpdate } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { DELIVERY_STATES, type DeliveryState } from "../../domain/update.js";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../client.js";
import { UsageError } from "../errors.js";
import { sayFailure, untilStopped } from "../following/until-stopped.js";
import { payloadText, updateLine } from "../following/update-line.js";
import { findBot } from "../input/find.js";
import { integerOf, limitOf, readPages, startOf } from "../input/values.js";
import { printResult, say, writeThrough } from "../print.js";
import type { Row } from "../table.js";
import { shortened } from "../text.js";

/** `botyard updates`: what a bot has received, for its owner. */
export function addUpdates(program: Command): void {
  clientCommand(program, "updates <bot>")
    .description("list a bot's updates and how their delivery stands, newest first; or watch new ones")
    .addOption(
      new Option("--state <state>", "only updates in this state of delivery").choices([...DELIVERY_STATES]),
    )
    .option("--limit <number>", "how many", "20")
    .option("--before <update>", "only updates numbered below this")
    .addOption(
      new Option("--follow", "print updates as they are recorded, until Ctrl-C").conflicts([
        "state",
        "before",
      ]),
    )
    .option("--from <where>", "with --follow: start, now or the number of an update", "now")
    .addHelpText(
      "after",
      `
With --follow and --json, one update on each line. A bot reads its own updates with botyard tail.

Examples:
  botyard updates echo --state failed
  botyard updates echo --follow --from start`,
    )
    .action(updates);
}

interface UpdatesOptions extends ClientCommandOptions {
  state?: DeliveryState;
  limit: string;
  before?: string;
  follow?: boolean;
  from: string;
}

async function updates(name: string, options: UpdatesOptions): Promise<void> {
  if (!options.follow && options.from !== "now") throw new UsageError("--from is for --follow");
  const limit = limitOf(options.limit);
  const first = options.before === undefined ? undefined : integerOf("--before", options.before, 1);
  const start = startOf(options.from);
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  if (options.follow) {
    await follow(owner, id, start, options);
    return;
  }
  const { state } = options;
  const items = await readPages<OwnerUpdate>(limit, (limit, last) =>
    owner.listBotUpdates(id, { limit, state, before: last?.update_id ?? first }),
  );
  printResult({ items }, options.json, items.map(row));
}

async function follow(
  owner: OwnerClient,
  botId: string,
  start: number | "now",
  { json }: ClientCommandOptions,
): Promise<void> {
  await untilStopped(async (signal) => {
    const updates = owner.streamBotUpdates(botId, {
      offset: start === "now" ? undefined : start,
      signal,
      onStreamOpen: () => say("watching (Ctrl-C ends)"),
      onStreamFailure: sayFailure,
    });
    for await (const update of updates) {
      await writeThrough(`${json ? JSON.stringify(update) : updateLine(update)}\n`);
    }
  });
}

function row(update: OwnerUpdate): Row {
  return {
    update: update.update_id,
    created: update.created_at,
    event: update.event_type,
    state: update.state,
    attempts: update.webhook_attempt_count,
    error: update.last_delivery_error || undefined,
    payload: shortened(payloadText(update)),
  };
}
