import { useEffect, useEffectEvent, useLayoutEffect } from "react";

/**
 * What was typed and not sent, by the form that it is in. It is kept while the tab is open, in memory alone, so that a click
 * elsewhere, "back" and Ctrl-K lose nothing; the browser asks before the tab is closed or loaded again.
 */
const drafts = new Map<string, Readonly<Record<string, unknown>>>();

addEventListener("beforeunload", (event) => {
  if (hasDrafts()) event.preventDefault();
});

/** @returns undefined when nothing was typed that is not sent */
export function draftOf<Values extends object>(key: string): Partial<Values> | undefined {
  return drafts.get(key) as Partial<Values> | undefined;
}

export function keepDraft(key: string, values: Readonly<Record<string, unknown>>): void {
  drafts.set(key, values);
}

export function hasDrafts(): boolean {
  return drafts.size > 0;
}

/** It was sent, or is not wanted any more. */
export function dropDraft(key: string): void {
  drafts.delete(key);
}

/** When the owner signs out, or somebody else signs in. */
export function forgetDrafts(): void {
  drafts.clear();
}

/** What this needs of a form of @mantine/form. */
interface DraftedForm<Values> {
  values: Values;
  getValues(): Values;
  isDirty(field?: keyof Values & string): boolean;
  setValues(values: Partial<Values>): void;
}

/** Shows what was typed in the form before it was left, and keeps what is typed: the fields that the user has changed. */
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
  // What has been saved is no draft any more.
  const isDirty = form.isDirty();
  // Before the form is seen, and before it follows what others have saved.
  useLayoutEffect(() => {
    if (key !== "") restore();
  }, [key]);
  useEffect(() => {
    if (values || isDirty) keep();
  }, [values, isDirty]);
}
