import { type Static, Type } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import {
  INTERACTION_KINDS,
  INTERACTION_STATES,
  RESPONSE_TYPES,
  type Response,
  stateOf,
} from "../../../domain/events/interaction.js";
import type { Post } from "../../../domain/events/post.js";
import { MAX_COMMAND_OPTIONS, MAX_INTERACTION_BYTES, MAX_SELECT_OPTIONS } from "../../../domain/limits.js";
import type {
  InteractionDraft,
  PressedComponent,
} from "../../../operations/interactions/create-interaction.js";
import type { InteractionWithResponses } from "../../../operations/interactions/read-interaction.js";
import { CommandName } from "../commands.js";
import { component, enumOf, ref } from "../document/component.js";
import { idOf, timeOf, toTime } from "../values/scalars.js";
import { PostBody as PostText } from "../values/text.js";
import { ComponentId, ComponentRows } from "./components.js";
import { Media, PostBody, PostUserBody, toPostBody } from "./post.js";

const KindName = enumOf(
  "InteractionKind",
  [...INTERACTION_KINDS],
  "Whether a user chose a command or pressed a component. An extension of Botyard.",
);
const ResponseTypeName = enumOf(
  "ResponseType",
  [...RESPONSE_TYPES],
  "A post in the channel, an edit of the post that was pressed, an answer for the user alone, or that the bot is still working. An extension of Botyard.",
);
const StateName = enumOf(
  "InteractionState",
  [...INTERACTION_STATES],
  "No response yet, only that the bot is working, some response, or none in time. An extension of Botyard.",
);

const ChosenCommand = component(
  "ChosenCommand",
  Type.Object(
    {
      name: CommandName,
      options: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({
          type: "object",
          additionalProperties: true,
          maxProperties: MAX_COMMAND_OPTIONS,
          description: `The values of its options, by name; at most ${MAX_INTERACTION_BYTES / 1024} KiB of JSON.`,
          examples: [{ city: "Oslo" }],
        }),
      ),
    },
    { description: "A command, and what it is given. An extension of Botyard." },
  ),
);
const Values = Type.Optional(
  Type.Array(Type.String({ description: "The value of an option.", examples: ["1"] }), {
    maxItems: MAX_SELECT_OPTIONS,
    description:
      "Of a select: the values of the options that were chosen. Of a button the bot gets its value.",
  }),
);
const PressedBody = component(
  "PressedComponent",
  Type.Object(
    { id: ComponentId, values: Values },
    { description: "A component that was pressed. An extension of Botyard." },
  ),
);
const PressedPost = component(
  "PressedPost",
  Type.Object(
    {
      id: idOf("The post."),
      revision: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999,
          description:
            "The revision that the user saw. If the post has another one by now, the press is refused.",
          examples: [1],
        }),
      ),
    },
    { description: "The post under which a component was pressed. An extension of Botyard." },
  ),
);

const ResponseId = Type.Optional(
  idOf("The private response under which the component was pressed, instead of a post."),
);
export const CreateInteractionRequest = component(
  "CreateInteractionRequest",
  Type.Object(
    {
      kind: ref(KindName),
      user: ref(PostUserBody),
      bot_id: Type.Optional(idOf("Of a command: whose it is.")),
      command: Type.Optional(ref(ChosenCommand)),
      component: Type.Optional(ref(PressedBody)),
      post: Type.Optional(ref(PressedPost)),
      response_id: ResponseId,
    },
    {
      description:
        "What a user of your product did: chose a command (`bot_id`, `command`), or pressed a component (`component`, and `post` or `response_id`). An extension of Botyard.",
      examples: [
        {
          kind: "component",
          user: { id: "user-7", username: "Zoë" },
          component: { id: "approve:17" },
          post: { id: "0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41", revision: 1 },
        },
      ],
    },
  ),
);

const UserBody = component(
  "InteractionUser",
  Type.Object(
    {
      id: Type.String({ description: "The product's own id of the user.", examples: ["user-7"] }),
      username: Type.String({ description: "The name to show.", examples: ["Zoë"] }),
    },
    { description: "The user who did something. An extension of Botyard." },
  ),
);

/** What an update of it, and the product, read. */
export const interactionFields = {
  kind: ref(KindName),
  channel_id: idOf("The channel."),
  bot_id: idOf("The bot whose command or component it is."),
  user: ref(UserBody),
  command: Type.Optional(ref(ChosenCommand)),
  component: Type.Optional(ref(PressedBody)),
  post: Type.Optional(ref(PressedPost)),
  response_id: ResponseId,
  expires_at: timeOf("Until when responses are taken."),
};

const RespondedPost = component(
  "RespondedPost",
  Type.Object(
    { id: idOf("The post."), revision: Type.Integer({ description: "Its revision.", examples: [1] }) },
    { description: "A post that a response published or edited. An extension of Botyard." },
  ),
);
const responseFields = {
  type: ref(ResponseTypeName),
  body: Type.Optional(PostText),
  media: Type.Optional(Media),
  components: Type.Optional(ComponentRows),
};

export const RespondRequest = component(
  "RespondRequest",
  Type.Object(responseFields, {
    description:
      "What the bot answers. A `post` and a `private` one have a text or media; an `update` has what changes of the post that was pressed; `working` has nothing. An extension of Botyard.",
    examples: [{ type: "private", body: "Approved, thank you." }],
  }),
);

const ResponseBody = component(
  "InteractionResponse",
  Type.Object(
    {
      id: idOf("The response's identifier; of its event in the feed too."),
      ...responseFields,
      post: Type.Optional(ref(RespondedPost)),
      created_at: timeOf("When the bot responded."),
    },
    {
      description:
        "What a bot responded. The text of a `post` and of an `update` is in the post. An extension of Botyard.",
    },
  ),
);

export const RespondedBody = component(
  "RespondedInteraction",
  Type.Object(
    {
      response: ref(ResponseBody),
      post: Type.Optional(ref(PostBody)),
    },
    {
      description:
        "A response that is stored, and the post that it published or edited. An extension of Botyard.",
    },
  ),
);

export const InteractionBody = component(
  "Interaction",
  Type.Object(
    {
      id: idOf("The interaction's identifier."),
      ...interactionFields,
      state: ref(StateName),
      responses: Type.Array(ref(ResponseBody), { description: "What the bot responded, oldest first." }),
      created_at: timeOf("When the user did it."),
    },
    { description: "What a user did, and what the bot responded. An extension of Botyard." },
  ),
);

export const interactionComponents = [
  KindName,
  ResponseTypeName,
  StateName,
  ChosenCommand,
  PressedBody,
  PressedPost,
  CreateInteractionRequest,
  UserBody,
  RespondedPost,
  RespondRequest,
  ResponseBody,
  RespondedBody,
  InteractionBody,
];

/**
 * @param toId an id as the store can look it up
 * @throws InvalidInput when a field is missing that its kind needs
 */
export function toInteractionDraft(
  body: Static<typeof CreateInteractionRequest>,
  toId: (text: string) => string,
): Pick<InteractionDraft, "user" | "command" | "component"> {
  const { kind, user, bot_id, command, component: pressed, post, response_id } = body;
  if (kind === "command") {
    if (!command || bot_id === undefined)
      throw new InvalidInput("an interaction of kind command needs bot_id and command");
    const { name, options = {} } = command;
    return { user, command: { botId: toId(bot_id), name, options } };
  }
  if (!pressed || (post === undefined) === (response_id === undefined))
    throw new InvalidInput(
      "an interaction of kind component needs component, and either post or response_id",
    );
  const under: PressedComponent["under"] = post
    ? { postId: toId(post.id), revision: post.revision }
    : { responseId: toId(response_id ?? "") };
  return { user, component: { id: pressed.id, values: pressed.values, under } };
}

export function toInteractionBody({
  interaction,
  responses,
}: Pick<InteractionWithResponses, "interaction" | "responses">): Static<typeof InteractionBody> {
  const { id, kind, channelId, botId, user, command, component, post, responseId, createdAt, expiresAt } =
    interaction;
  return {
    id,
    kind,
    channel_id: channelId,
    bot_id: botId,
    user,
    command,
    component,
    post,
    response_id: responseId,
    expires_at: toTime(expiresAt),
    state: stateOf(interaction, responses, Date.now()),
    responses: responses.map(toResponseBody),
    created_at: toTime(createdAt),
  };
}

function toResponseBody({ id, type, createdAt, ...content }: Response): Static<typeof ResponseBody> {
  return { id, type, ...content, created_at: toTime(createdAt) };
}

export function toRespondedBody(response: Response, post?: Post): Static<typeof RespondedBody> {
  return { response: toResponseBody(response), post: post && toPostBody(post) };
}
