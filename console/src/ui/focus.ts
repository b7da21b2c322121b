/** A `ref` of what takes the place of the element that was focused, which is gone. */
export function focus(element: HTMLElement | null): void {
  element?.focus();
}
