import type { ListUpdatesOptions, OwnerClient, OwnerUpdate } from "@botyard/sdk";
import { type Command, Option } from "commander";
import { DELIVERY_STATES, type DeliveryState } from "../../../domain/events/update.js";
import { type ClientCommandOptions, clientCommand, ownerOf } from "../../client.js";
import { UsageError } from "../../errors.js";
import { sayFailure, untilStopped } from "../../following/until-stopped.js";
import { payloadText, updateLine } from "../../following/update-line.js";
import { kindOf } from "../../input/event-kinds.js";
import { findBot, findChannel } from "../../input/find.js";
import { integerOf, limitOf, momentOf, PAGE_ITEMS, startOf } from "../../input/values.js";
import { printResult, say, writeThrough } from "../../output/print.js";
import { sayEverySecond } from "../../output/progress.js";
import type { Row } from "../../output/table.js";
import { shortened } from "../../output/text.js";
import { addGivenUp } from "./given-up.js";

/** `botyard updates`: what a bot has received, for its owner. */
export function addUpdates(program: Command): void {
  const command = clientCommand(program, "updates <bot>")
    .description("list a bot's updates and how their delivery stands, newest first; or watch new ones")
    .addOption(
      new Option("--state <state>", "only updates in this state of delivery").choices([...DELIVERY_STATES]),
    )
    .option("--limit <number>", "how many", "20")
    .option("--before <update>", "only updates numbered below this")
    .option("--search <text>", "only updates with this text, whatever its case, or of the post with this id")
    .option("--channel <channel>", "only updates of what happened in this channel")
    .option("--event-type <kind>", "only updates of this kind; ticket.* stands for all that begin alike")
    .option("--since <time>", "only updates recorded since then: 2h, or 2026-01-31T12:00Z")
    .option("--until <time>", "only updates recorded before then")
    .option(
      "--webhook <webhook>",
      "how their delivery to this webhook stands (else to the one named default)",
    )
    .addOption(
      new Option("--follow", "print updates as they are recorded, until Ctrl-C").conflicts([
        "state",
        "before",
        "search",
        "channel",
        "eventType",
        "since",
        "until",
        "webhook",
      ]),
    )
    .option("--from <where>", "with --follow: start, now or the number of an update", "now")
    .addHelpText(
      "after",
      `
A search reads the log from its newest update on; Ctrl-C ends it. With --follow and --json, one update on each line. A bot
reads its own updates with botyard tail.

Examples:
  botyard updates echo --state failed
  botyard updates echo --search rain --since 2d
  botyard updates echo --follow --from start`,
    )
    .action(updates);
  addGivenUp(command);
}

interface UpdatesOptions extends ClientCommandOptions {
  state?: DeliveryState;
  limit: string;
  before?: string;
  search?: string;
  channel?: string;
  eventType?: string;
  since?: string;
  until?: string;
  webhook?: string;
  follow?: boolean;
  from: string;
}

async function updates(name: string, options: UpdatesOptions): Promise<void> {
  if (!options.follow && options.from !== "now") throw new UsageError("--from is for --follow");
  const limit = limitOf(options.limit);
  if (options.eventType !== undefined) kindOf(options.eventType);
  const first = options.before === undefined ? undefined : integerOf("--before", options.before, 1);
  const start = startOf(options.from);
  const owner = await ownerOf(options);
  const { id } = await findBot(owner, name);
  if (options.follow) {
    await follow(owner, id, start, options);
    return;
  }
  const items = await list(owner, id, limit, { ...(await partOf(owner, options)), before: first });
  printResult({ items }, options.json, items.map(row));
}

/** Which updates to list. */
async function partOf(owner: OwnerClient, options: UpdatesOptions): Promise<ListUpdatesOptions> {
  const { state, search, channel, eventType, webhook } = options;
  const now = Date.now();
  const timeOf = (name: "since" | "until") => {
    const text = options[name];
    return text === undefined ? undefined : new Date(momentOf(`--${name}`, text, now)).toISOString();
  };
  const times = { since: timeOf("since"), until: timeOf("until") };
  const channelId = channel === undefined ? undefined : (await findChannel(owner, channel)).id;
  return { state, search, eventType, channelId, webhook, ...times };
}

/** Lists page by page; a search continues over pages without a match. */
async function list(
  owner: OwnerClient,
  botId: string,
  limit: number,
  { before: first, ...part }: ListUpdatesOptions,
): Promise<OwnerUpdate[]> {
  const report = sayEverySecond((below: number) => `searched back to update ${below}`);
  const isSearch = [part.search, part.channelId, part.eventType, part.since].some(
    (given) => given !== undefined,
  );
  const found: OwnerUpdate[] = [];
  let before = first;
  while (found.length < limit) {
    const page = { ...part, before, limit: Math.min(PAGE_ITEMS, limit - found.length) };
    const { items, stopped_at: stoppedAt } = await owner.listBotUpdates(botId, page);
    found.push(...items);
    before = isSearch ? stoppedAt : items.at(-1)?.update_id;
    if (before === undefined) break;
    if (isSearch) report(before);
  }
  return found;
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
    state: stateText(update.state, update.reading),
    attempts: update.webhook_attempt_count,
    error: update.last_delivery_error || undefined,
    payload: shortened(payloadText(update)),
  };
}

/** The state; for an update that no webhook delivers, with whether consumers have handled it. */
export function stateText(state: string, reading: OwnerUpdate["reading"]): string {
  return reading === undefined || reading === "unknown" ? state : `${state}, ${reading.replace("_", " ")}`;
}
