import { useEffect, useEffectEvent, useLayoutEffect } from "react";

/**
 * Unsent input, by form. It is kept only in memory, while the tab is open, so that a click elsewhere, "back" and Ctrl-K
 * lose nothing; the browser asks before the tab is closed or reloaded.
 */
const drafts = new Map<string, Readonly<Record<string, unknown>>>();

addEventListener("beforeunload", (event) => {
  if (hasDrafts()) event.preventDefault();
});

/** @returns undefined when there is no unsent input */
export function draftOf<Values extends object>(key: string): Partial<Values> | undefined {
  return drafts.get(key) as Partial<Values> | undefined;
}

export function keepDraft(key: string, values: Readonly<Record<string, unknown>>): void {
  drafts.set(key, values);
}

export function hasDrafts(): boolean {
  return drafts.size > 0;
}

/** To be called when the form was sent or cancelled. */
export function dropDraft(key: string): void {
  drafts.delete(key);
}

/** To be called when the owner signs out, or another owner signs in. */
export function forgetDrafts(): void {
  drafts.clear();
}

/** The part of a @mantine/form that is used here. */
interface DraftedForm<Values> {
  values: Values;
  getValues(): Values;
  isDirty(field?: keyof Values & string): boolean;
  setValues(values: Partial<Values>): void;
}

/** Restores the unsent input of a form, and keeps the fields that the user has changed. */
export function useDraft<Values extends Record<string, unknown>>(
  key: string,
  form: DraftedForm<Values>,
): void {
  const restore = useEffectEvent(() => {
    const draft = draftOf<Values>(key);
    if (draft) form.setValues(draft);
  });
  const keep = useEffectEvent(() => {
    const changed = Object.entries(form.getValues()).filter(([field]) => form.isDirty(field));
    if (changed.length === 0) dropDraft(key);
    else keepDraft(key, Object.fromEntries(changed));
  });
  const { values } = form;
  // Saved input is no draft any more.
  const isDirty = form.isDirty();
  // In a layout effect: before the form is painted, and before it shows what others have saved.
  useLayoutEffect(() => {
    if (key !== "") restore();
  }, [key]);
  useEffect(() => {
    if (values || isDirty) keep();
  }, [values, isDirty]);
}
