/** The part of a @mantine/form that is used here. Field names must be unique among the forms of a page. */
interface FormWithErrors {
  setFieldError(field: string, message: string): void;
  getInputNode(field: string): HTMLElement | null;
}

/** For `form.onSubmit`: moves the focus to the first field that has an error. */
export function focusError(form: Pick<FormWithErrors, "getInputNode">): (errors: object) => void {
  return (errors) => {
    const [field] = Object.keys(errors);
    if (field !== undefined) form.getInputNode(field)?.focus();
  };
}

/** Shows the service's refusal at its field, and moves the focus there. */
export function showRefused(
  form: FormWithErrors,
  refused: { field: string; message: string } | undefined,
): void {
  if (!refused) return;
  form.setFieldError(refused.field, refused.message);
  form.getInputNode(refused.field)?.focus();
}
