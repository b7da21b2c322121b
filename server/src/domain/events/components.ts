import { InvalidInput } from "../errors.js";
import { MAX_COMPONENTS_BYTES } from "../limits.js";

export const COMPONENT_TYPES = ["button", "select"] as const;
export const BUTTON_STYLES = ["default", "primary", "danger"] as const;

/** Something under a post that a user of the product presses: a button, or a select with options. */
export interface PostComponent {
  type: (typeof COMPONENT_TYPES)[number];
  /** Unique in its post. */
  id: string;
  /** Of a button: what people read, how it looks, what the bot gets, what is asked before. */
  label?: string;
  style?: (typeof BUTTON_STYLES)[number];
  value?: string;
  confirm?: string;
  /** Of a button that opens a page: nobody hears of its press. */
  url?: string;
  /** Of a select: what may be chosen, what people read before, how many at least and at most (1 and 1 when left out). */
  options?: { label: string; value: string }[];
  placeholder?: string;
  min?: number;
  max?: number;
}

/** Rows of components. */
export type Components = PostComponent[][];

const FIELDS_OF: Record<PostComponent["type"], readonly (keyof PostComponent)[]> = {
  button: ["label", "style", "value", "confirm", "url"],
  select: ["options", "placeholder", "min", "max"],
};
const OWN_FIELDS = Object.values(FIELDS_OF).flat();

/**
 * Checks what the schema of components cannot express.
 *
 * @throws InvalidInput
 */
export function checkComponents(rows: Components): void {
  const ids = new Set<string>();
  for (const [row, components] of rows.entries()) {
    for (const [index, component] of components.entries()) {
      const path = `components[${row}][${index}]`;
      if (ids.has(component.id)) refuse(`${path}.id must be unique: the post has "${component.id}" already`);
      ids.add(component.id);
      checkFields(component, path);
      if (component.type === "button") checkButton(component, path);
      else checkSelect(component, path);
    }
  }
  if (Buffer.byteLength(JSON.stringify(rows)) > MAX_COMPONENTS_BYTES)
    throw new InvalidInput(`components must be at most ${MAX_COMPONENTS_BYTES} bytes of JSON`, "too_large");
}

function checkFields(component: PostComponent, path: string): void {
  const { type } = component;
  const foreign = OWN_FIELDS.find((name) => component[name] !== undefined && !FIELDS_OF[type].includes(name));
  if (foreign) refuse(`${path} must not have ${foreign}: it is a ${type}`);
}

function checkButton({ label, url, value, confirm }: PostComponent, path: string): void {
  if (label === undefined) refuse(`${path} must have a label: it is a button`);
  if (url === undefined) return;
  if (!isPage(url)) refuse(`${path}.url must be an absolute http or https URL`);
  if (value !== undefined || confirm !== undefined)
    refuse(`${path} must have no value and no confirm beside url: it opens a page, and no bot hears of it`);
}

function checkSelect({ options, min = 1, max = 1 }: PostComponent, path: string): void {
  if (!options) return refuse(`${path} must have options: it is a select`);
  if (new Set(options.map(({ value }) => value)).size < options.length)
    refuse(`${path}.options must not have a value twice`);
  if (min > max || max > options.length)
    refuse(`${path} must have min at most max, and max at most as many as options: 1 and 1 when left out`);
}

function isPage(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function refuse(message: string): never {
  throw new InvalidInput(message, "invalid_components");
}

/** The component of this id; undefined without one that can be pressed. */
export function findComponent(rows: Components | undefined, id: string): PostComponent | undefined {
  const component = rows?.flat().find((one) => one.id === id);
  return component?.url === undefined ? component : undefined;
}
