import { type Static, Type } from "typebox";
import { BUTTON_STYLES, COMPONENT_TYPES } from "../../../domain/events/components.js";
import {
  MAX_COMPONENT_ROWS,
  MAX_COMPONENTS_BYTES,
  MAX_ROW_COMPONENTS,
  MAX_SELECT_OPTIONS,
  MAX_WEBHOOK_URL_CHARS,
} from "../../../domain/limits.js";
import { component, enumOf, ref } from "../document/component.js";
import { cleanText } from "../values/text.js";

const MAX_ID_CHARS = 64;
const MAX_LABEL = 80;
const MAX_OPTION_TEXT = 100;
const MAX_VALUE = 256;
const MAX_CONFIRM = 300;

export const ComponentId = Type.String({
  minLength: 1,
  maxLength: MAX_ID_CHARS,
  pattern: "^[A-Za-z0-9_.:-]+$",
  description: "Unique in its post; the bot gets it with a press.",
  examples: ["approve:17"],
});

const ComponentType = enumOf(
  "PostComponentType",
  [...COMPONENT_TYPES],
  "A button, or a select of which people choose options. An extension of Botyard.",
);
const ButtonStyle = enumOf(
  "ButtonStyle",
  [...BUTTON_STYLES],
  "How a button looks; `default` when left out. An extension of Botyard.",
);

const SelectOption = component(
  "SelectOption",
  Type.Object(
    {
      label: cleanText("What people read.", "Tomorrow", 1, MAX_OPTION_TEXT),
      value: cleanText("What the bot gets, unique in its select.", "1", 1, MAX_OPTION_TEXT),
    },
    { description: "What may be chosen of a select. An extension of Botyard." },
  ),
);

const optionCount = (minimum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: MAX_SELECT_OPTIONS, description, examples: [1] }));

/** One object for both types and not a union of two, for which the serializer would need a validator. */
const PostComponentBody = component(
  "PostComponent",
  Type.Object(
    {
      type: ref(ComponentType),
      id: ComponentId,
      label: Type.Optional(
        cleanText("Of a button, which must have it: what people read.", "Approve", 1, MAX_LABEL),
      ),
      style: Type.Optional(ref(ButtonStyle)),
      value: Type.Optional(cleanText("Of a button: what the bot gets with a press.", "17", 0, MAX_VALUE)),
      confirm: Type.Optional(
        cleanText("Of a button: what people are asked before it counts.", "Approve 17?", 1, MAX_CONFIRM),
      ),
      url: Type.Optional(
        Type.String({
          maxLength: MAX_WEBHOOK_URL_CHARS,
          description: "Of a button: the page that it opens. No bot hears of its press.",
          examples: ["https://example.com/17"],
        }),
      ),
      options: Type.Optional(
        Type.Array(ref(SelectOption), {
          minItems: 1,
          maxItems: MAX_SELECT_OPTIONS,
          description: "Of a select, which must have them: what may be chosen.",
        }),
      ),
      placeholder: Type.Optional(
        cleanText("Of a select: what people read before they choose.", "When?", 1, MAX_OPTION_TEXT),
      ),
      min: optionCount(0, "Of a select: the fewest options that may be chosen; 1 when left out."),
      max: optionCount(1, "Of a select: the most options that may be chosen; 1 when left out."),
    },
    { description: "A button or a select under a post. An extension of Botyard." },
  ),
);

export const ComponentRows = Type.Array(
  Type.Array(ref(PostComponentBody), {
    minItems: 1,
    maxItems: MAX_ROW_COMPONENTS,
    description: "A row, from left to right.",
  }),
  {
    maxItems: MAX_COMPONENT_ROWS,
    description: `Rows of buttons and selects under the post, for products that show them; at most ${MAX_COMPONENTS_BYTES / 1024} KiB of JSON. An extension of Botyard.`,
    examples: [[[{ type: "button", id: "approve:17", label: "Approve", style: "primary" }]]],
  },
);

export type ComponentRowsBody = Static<typeof ComponentRows>;

export const postComponentComponents = [ComponentType, ButtonStyle, SelectOption, PostComponentBody];
