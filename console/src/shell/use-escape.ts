import { useEffect, useEffectEvent } from "react";

/** The actions of Escape; the dialog on top is the last. */
const actions: (() => void)[] = [];

// Registered before the listeners of Mantine's dialogs at the window; otherwise each dialog would close.
addEventListener(
  "keydown",
  (event) => {
    const act = actions.at(-1);
    if (event.key !== "Escape" || event.isComposing || !act) return;
    event.stopImmediatePropagation();
    act();
  },
  { capture: true },
);

/** For a dialog above others: while it is open, Escape does this, and nothing to what is below. */
export function useEscape(isOpen: boolean, onEscape: () => void): void {
  const act = useEffectEvent(onEscape);
  useEffect(() => {
    if (!isOpen) return;
    const action = () => act();
    actions.push(action);
    return () => {
      actions.splice(actions.indexOf(action), 1);
    };
  }, [isOpen]);
}
