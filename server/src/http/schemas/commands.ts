import { type Static, Type } from "typebox";
import { type BotCommands, type Command, OPTION_TYPES } from "../../domain/bots/commands.js";
import { MAX_COMMAND_OPTIONS, MAX_COMMANDS, MAX_COMMANDS_BYTES } from "../../domain/limits.js";
import { component, enumOf, listOf, ref } from "./document/component.js";
import { idOf } from "./values/scalars.js";
import { cleanText } from "./values/text.js";

const MAX_NAME_CHARS = 32;
const MAX_DESCRIPTION = 200;
const MAX_LABEL = 100;
const MAX_LANGUAGES = 50;

const nameOf = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME_CHARS,
    pattern: "^[a-z0-9_-]+$",
    description,
    examples: [example],
  });

export const CommandName = nameOf(
  "What people type after `/`, unique among the commands of its bot.",
  "weather",
);

const OptionType = enumOf(
  "CommandOptionType",
  [...OPTION_TYPES],
  "What the value of an option is; of a `user` or a `channel` it is the id. An extension of Botyard.",
);

const Choice = component(
  "CommandChoice",
  Type.Object(
    {
      label: cleanText("What people read.", "Celsius", 1, MAX_LABEL),
      // Not a union of types, for which the serializer would need a validator.
      value: Type.Unsafe<string | number>({
        type: ["string", "number"],
        maxLength: MAX_LABEL,
        description: "What the bot gets, of the option's type.",
        examples: ["celsius"],
      }),
    },
    { description: "A value that an option may have. An extension of Botyard." },
  ),
);

const Option = component(
  "CommandOption",
  Type.Object(
    {
      name: nameOf("Unique in its command.", "city"),
      type: ref(OptionType),
      description: cleanText("What it means, for people.", "Where", 1, MAX_DESCRIPTION),
      required: Type.Optional(
        Type.Boolean({ description: "Whether it has to be given. Those that have to come first." }),
      ),
      choices: Type.Optional(
        Type.Array(ref(Choice), {
          minItems: 1,
          maxItems: MAX_COMMAND_OPTIONS,
          description: "The only values that it may have. Only of texts and numbers.",
        }),
      ),
    },
    { description: "What a command is given. An extension of Botyard." },
  ),
);

export const CommandBody = component(
  "BotCommand",
  Type.Object(
    {
      name: CommandName,
      description: cleanText("What it does, for people.", "Tell the weather of a place", 1, MAX_DESCRIPTION),
      options: Type.Optional(
        Type.Array(ref(Option), {
          maxItems: MAX_COMMAND_OPTIONS,
          description: "What it is given, in order.",
        }),
      ),
      descriptions: Type.Optional(
        Type.Record(
          Type.String(),
          cleanText("What it does, in this language.", "Sagt das Wetter", 1, MAX_DESCRIPTION),
          {
            maxProperties: MAX_LANGUAGES,
            description: "The description in other languages, by language tag.",
            examples: [{ de: "Sagt das Wetter an einem Ort" }],
          },
        ),
      ),
    },
    { description: "A command that a bot offers in its channels. An extension of Botyard." },
  ),
);

const EXAMPLE = {
  name: "weather",
  description: "Tell the weather of a place",
  options: [{ name: "city", type: "string", description: "Where", required: true }],
};

export const PutCommandsRequest = component(
  "PutCommandsRequest",
  Type.Object(
    {
      commands: Type.Array(ref(CommandBody), {
        maxItems: MAX_COMMANDS,
        description: `All commands of the bot, in the order in which they are shown; at most ${MAX_COMMANDS_BYTES / 1024} KiB of JSON. Empty: none.`,
      }),
    },
    {
      description: "The commands that a bot offers. An extension of Botyard.",
      examples: [{ commands: [EXAMPLE] }],
    },
  ),
);

export const CommandList = listOf(
  "BotCommandList",
  CommandBody,
  "Commands of a bot. An extension of Botyard.",
);

const ChannelCommandsBody = component(
  "ChannelCommands",
  Type.Object(
    {
      bot_id: idOf("The bot."),
      username: Type.String({ description: "The bot's username.", examples: ["weather_bot"] }),
      display_name: Type.String({ description: "The bot's name for people.", examples: ["Weather"] }),
      commands: Type.Array(ref(CommandBody), { description: "What it offers." }),
    },
    { description: "The commands of a bot in a channel. An extension of Botyard." },
  ),
);
export const ChannelCommandsList = listOf(
  "ChannelCommandsList",
  ChannelCommandsBody,
  "Commands in a channel, by bot. An extension of Botyard.",
);

export const commandComponents = [
  OptionType,
  Choice,
  Option,
  CommandBody,
  PutCommandsRequest,
  CommandList,
  ChannelCommandsBody,
  ChannelCommandsList,
];

/** The fields of a request are those of the domain. */
export function toCommands(body: Static<typeof PutCommandsRequest>): Command[] {
  return body.commands;
}

export function toCommandList(commands: readonly Command[]): Static<typeof CommandList> {
  return { items: commands as Static<typeof CommandBody>[] };
}

export function toChannelCommandsBody(offered: BotCommands): Static<typeof ChannelCommandsBody> {
  const { botId, username, displayName, commands } = offered;
  return {
    bot_id: botId,
    username,
    display_name: displayName,
    commands: commands as Static<typeof CommandBody>[],
  };
}
