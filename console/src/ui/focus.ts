/** A `ref` for an element that replaces the focused one: takes over the focus. */
export function focus(element: HTMLElement | null): void {
  element?.focus();
}
