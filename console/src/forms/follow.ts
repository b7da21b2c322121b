import { useEffect, useEffectEvent } from "react";

/** The part of a @mantine/form that is used here. */
interface FollowingForm<Values> {
  isDirty(field?: keyof Values & string): boolean;
  getValues(): Values;
  getInitialValues(): Values;
  setInitialValues(values: Values): void;
  setValues(values: Partial<Values>): void;
  setFieldError(field: string, message: string): void;
}

/** Updates a form with what others have saved. Fields that the user has changed stay, with a hint. */
export function useFollow<Values extends Record<string, unknown>>(
  form: FollowingForm<Values>,
  saved: Values,
): void {
  const follow = useEffectEvent(() => {
    const fields = Object.keys(saved) as (keyof Values & string)[];
    const untouched = fields.filter((field) => !form.isDirty(field));
    const before = form.getInitialValues();
    const conflicts = fields.filter(
      (field) => form.isDirty(field) && JSON.stringify(saved[field]) !== JSON.stringify(before[field]),
    );
    form.setInitialValues(saved);
    // All values, so that the form computes anew which fields are dirty. This clears errors.
    const followed = Object.fromEntries(untouched.map((field) => [field, saved[field]]));
    form.setValues({ ...form.getValues(), ...followed });
    for (const field of conflicts) {
      form.setFieldError(
        field,
        `Meanwhile this was set to “${shortened(saved[field])}”: saving replaces that.`,
      );
    }
  });
  const key = JSON.stringify(saved);
  useEffect(() => {
    if (key !== "") follow();
  }, [key]);
}

const SHOWN_CHARS = 120;

function shortened(value: unknown): string {
  const text = String(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)} …` : text;
}

/** The fields that the user has changed: others may have changed the rest. */
export function changedOf<Values extends Record<string, string>>(
  form: Pick<FollowingForm<Values>, "isDirty" | "getValues">,
): Partial<Values> {
  const values = Object.entries(form.getValues()).filter(([field]) => form.isDirty(field));
  return Object.fromEntries(values) as Partial<Values>;
}
