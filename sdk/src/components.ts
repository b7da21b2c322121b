import type { PostComponent } from "./types.js";

/** Rows of buttons and selects under a post. */
export type Components = PostComponent[][];

/** What a button may have beside its label. */
export type ButtonOptions = Pick<PostComponent, "style" | "value" | "confirm">;

/** What a select may have beside its options. */
export type SelectOptions = Pick<PostComponent, "placeholder" | "min" | "max">;

/**
 * A row of buttons and selects.
 *
 * @example
 * ctx.reply({ body: "Deploy 17?", components: [row(button("approve:17", "Approve"), button("reject:17", "Reject"))] });
 */
export function row(...components: PostComponent[]): PostComponent[] {
  return components;
}

/**
 * A button.
 *
 * @param id unique in its post; up to 64 letters, digits and `_.:-`
 * @param label what people read
 */
export function button(id: string, label: string, options: ButtonOptions = {}): PostComponent {
  return { type: "button", id, label, ...options };
}

/**
 * A button that opens a page; no bot hears of its press.
 *
 * @param id unique in its post; made of the two others unless given
 */
export function link(label: string, url: string, id = `link:${hashOf(`${label} ${url}`)}`): PostComponent {
  return { type: "button", id, label, url };
}

/**
 * A select.
 *
 * @param id unique in its post; up to 64 letters, digits and `_.:-`
 * @param options what may be chosen: a text is its label and its value
 */
export function select(
  id: string,
  options: readonly (string | { label: string; value: string })[],
  more: SelectOptions = {},
): PostComponent {
  const all = options.map((option) =>
    typeof option === "string" ? { label: option, value: option } : option,
  );
  return { type: "select", id, options: all, ...more };
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return (hash >>> 0).toString(36);
}
