import type {
  Channel,
  CreateInteractionRequest,
  Interaction,
  InteractionResponse,
  OwnerClient,
  PostComponent,
  RespondRequest,
} from "@botyard/sdk";
import { type Command, Option } from "commander";
import { RESPONSE_TYPES } from "../../domain/events/interaction.js";
import {
  type ClientCommandOptions,
  clientCommand,
  createBotClient,
  credentialsOf,
  ownerOf,
} from "../client.js";
import { UsageError } from "../errors.js";
import { findBot, findBotIn, findChannel } from "../input/find.js";
import { componentsOf, mediaOf, optionsOf } from "../input/json.js";
import { integerOf, textOf } from "../input/values.js";
import { printRecord, printResult } from "../output/print.js";

interface UserOptions extends ClientCommandOptions {
  user: string;
  username?: string;
  idempotencyKey?: string;
}

interface PressOptions extends UserOptions {
  value?: string[];
  ifRevision?: string;
}

interface ChooseOptions extends UserOptions {
  options: string;
}

interface RespondOptions extends ClientCommandOptions {
  type: RespondRequest["type"];
  body?: string;
  media?: string;
  components?: string;
  idempotencyKey?: string;
}

/** `botyard interaction`: what users of a product do with bots, and what these respond. */
export function addInteraction(program: Command): void {
  const interaction = program
    .command("interaction")
    .description("press a button, choose a command, read and give the bot's responses");

  ofUser(interaction, "press <channel> <post> <component>")
    .description("tell a bot that a user pressed a button or chose in a select under its post")
    .option("--value <value...>", "of a select: the values of the chosen options")
    .option("--if-revision <number>", "only if this is the newest revision of the post")
    .addHelpText("after", "\nExample:\n  botyard interaction press news 01a20267-… approve:17 --user user-7")
    .action(press);

  ofUser(interaction, "choose <channel> <bot> <command>")
    .description("tell a bot that a user chose one of its commands")
    .option("--options <json>", "what the command is given, as a JSON object", "{}")
    .addHelpText(
      "after",
      `\nExample:\n  botyard interaction choose news weather_bot weather --user user-7 --options '{"city": "Oslo"}'`,
    )
    .action(choose);

  clientCommand(interaction, "show <channel> <interaction>")
    .description("show an interaction, and what the bot responded")
    .addHelpText("after", "\nExample:\n  botyard interaction show news 01a20268-…")
    .action(show);

  clientCommand(interaction, "respond <interaction>")
    .description("respond to an interaction, with the bot's token")
    .addOption(
      new Option("--type <type>", "what the response is").choices(RESPONSE_TYPES).makeOptionMandatory(),
    )
    .option("--body <text>", "its text; - reads it from stdin")
    .option("--media <json>", "objects to send along, as a JSON array")
    .option("--components <json>", "rows of buttons and selects, as a JSON array; [] removes them")
    .option("--idempotency-key <key>", "respond nothing when there is a response with this key already")
    .addHelpText(
      "after",
      '\nExample:\n  BOTYARD_TOKEN=bot_… botyard interaction respond 01a20268-… --type private --body "Thank you"',
    )
    .action(respond);
}

function ofUser(parent: Command, nameAndArguments: string): Command {
  return clientCommand(parent, nameAndArguments)
    .requiredOption("--user <id>", "your own id of the user")
    .option("--username <name>", "the user's name to show; the id when left out")
    .option("--idempotency-key <key>", "do nothing when there is an interaction with this key already");
}

async function press(
  name: string,
  postId: string,
  componentId: string,
  options: PressOptions,
): Promise<void> {
  const { value, ifRevision } = options;
  const revision = ifRevision === undefined ? undefined : integerOf("--if-revision", ifRevision, 1);
  const owner = await ownerOf(options);
  await create(owner, await findChannel(owner, name), options, {
    kind: "component",
    component: { id: componentId, ...(value && { values: value }) },
    post: { id: postId, ...(revision !== undefined && { revision }) },
  });
}

async function choose(name: string, bot: string, command: string, options: ChooseOptions): Promise<void> {
  const given = optionsOf(options.options);
  const owner = await ownerOf(options);
  const channel = await findChannel(owner, name);
  const { id } = (await findBotIn(owner, channel.id, bot)) ?? (await findBot(owner, bot));
  const chosen = { kind: "command", bot_id: id, command: { name: command, options: given } } as const;
  await create(owner, channel, options, chosen);
}

async function create(
  owner: OwnerClient,
  channel: Channel,
  options: UserOptions,
  what: Omit<CreateInteractionRequest, "user">,
): Promise<void> {
  const { user: id, username = id, idempotencyKey } = options;
  const request = { ...what, user: { id, username } };
  print(await owner.createInteraction(channel.id, request, { idempotencyKey }), options);
}

async function show(name: string, id: string, options: ClientCommandOptions): Promise<void> {
  const owner = await ownerOf(options);
  const channel = await findChannel(owner, name);
  print(await owner.getInteraction(channel.id, id), options);
}

async function respond(id: string, options: RespondOptions): Promise<void> {
  const { type, body, media, components, idempotencyKey } = options;
  if (type === "working" && (body ?? media ?? components) !== undefined)
    throw new UsageError("a response of type working has nothing beside its type");
  const bot = await createBotClient(credentialsOf(options));
  const response: RespondRequest = {
    type,
    ...(body !== undefined && { body: await textOf(body) }),
    ...(media !== undefined && { media: mediaOf(media) }),
    ...(components !== undefined && { components: componentsOf(components) as unknown as PostComponent[][] }),
  };
  const answer = await bot.respondToInteraction(id, response, { idempotencyKey });
  printResult(answer, options.json, [rowOf(answer.response)]);
}

function print(interaction: Interaction, { json }: ClientCommandOptions): void {
  const { id, kind, user, command, component, post, state, responses, expires_at: expires } = interaction;
  const what = command
    ? `/${command.name} ${JSON.stringify(command.options ?? {})}`
    : [component?.id, ...(component?.values ?? [])].join(" ");
  printRecord(interaction, json, {
    id,
    kind,
    user: user.username,
    what,
    post: post?.id ?? "none",
    state,
    responses: responses.map(({ type, body }) => (body ? `${type}: ${body}` : type)).join("; ") || "none",
    expires,
  });
}

function rowOf({ id, type, post, created_at: created }: InteractionResponse) {
  return { id, type, post: post?.id ?? "", created };
}
