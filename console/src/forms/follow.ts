import { useEffect, useEffectEvent } from "react";

/** What this needs of a form of @mantine/form. */
interface FollowingForm<Values> {
  isDirty(field?: keyof Values & string): boolean;
  setInitialValues(values: Values): void;
  setValues(values: Partial<Values>): void;
}

/** Shows what others have saved meanwhile, but in fields that the user has changed. */
export function useFollow<Values extends Record<string, unknown>>(
  form: FollowingForm<Values>,
  saved: Values,
): void {
  const follow = useEffectEvent(() => {
    const fields = Object.keys(saved) as (keyof Values & string)[];
    const untouched = fields.filter((field) => !form.isDirty(field));
    form.setInitialValues(saved);
    form.setValues(Object.fromEntries(untouched.map((field) => [field, saved[field]])) as Partial<Values>);
  });
  const key = JSON.stringify(saved);
  useEffect(() => {
    if (key !== "") follow();
  }, [key]);
}

/** The fields that the user has changed: others may have changed the rest. */
export function changedOf<Values extends Record<string, string>>(
  form: Pick<FollowingForm<Values>, "isDirty"> & { getValues(): Values },
): Partial<Values> {
  const values = Object.entries(form.getValues()).filter(([field]) => form.isDirty(field));
  return Object.fromEntries(values) as Partial<Values>;
}
