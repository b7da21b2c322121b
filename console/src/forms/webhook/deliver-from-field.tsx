import { NumberInput, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";

const FROM_NOW = "Only what is recorded from now on";
const NUMBERED = "numbered";

export interface DeliverFromValues {
  /** Empty for the service's default. */
  deliver_from: string;
  /** The number of the first update to deliver, when `deliver_from` is {@link NUMBERED}. */
  first_update: number | string;
}

/** The field `deliver_from` of the request; undefined for the service's default. */
export function deliverFromOf({ deliver_from: from, first_update: first }: DeliverFromValues) {
  return from === NUMBERED ? String(first) : from || undefined;
}

/** For `validate` of a form. */
export function checkFirstUpdate(first: number | string, { deliver_from: from }: DeliverFromValues) {
  return from === NUMBERED && !(Number.isSafeInteger(first) && Number(first) > 0)
    ? "The number of an update, such as 42"
    : undefined;
}

/** The part of a @mantine/form that is used here. */
interface FormWithDeliverFrom {
  values: DeliverFromValues;
  getInputProps(field: keyof DeliverFromValues): object;
}

interface DeliverFromFieldProps {
  form: FormWithDeliverFrom;
  botId: string;
  /** A new webhook with a name of its own begins with what follows, unless another answer is given. */
  isNewlyNamed: boolean;
}

/** Chooses which of the updates that are not delivered go to a new URL. */
export function DeliverFromField({ form, botId, isNewlyNamed }: DeliverFromFieldProps) {
  const consumers = useQuery(queries.consumers(botId));
  return (
    <>
      <Select
        label="Deliver"
        description="Which of the updates that are not delivered go to the new URL. The others are skipped and never sent."
        data={[
          ...(isNewlyNamed
            ? [{ value: "", label: FROM_NOW }]
            : [
                { value: "", label: "What no consumer has handled" },
                { value: "now", label: FROM_NOW },
              ]),
          { value: "backlog", label: "All of them" },
          { value: NUMBERED, label: "Those from a number on" },
          ...(consumers.data ?? []).map(({ name }) => ({
            value: `consumer:${name}`,
            label: `What the consumer ${name} has not handled`,
          })),
        ]}
        allowDeselect={false}
        {...form.getInputProps("deliver_from")}
      />
      {form.values.deliver_from === NUMBERED && (
        <NumberInput
          label="First update"
          description="Its number. Updates below it are skipped."
          min={1}
          allowDecimal={false}
          {...form.getInputProps("first_update")}
        />
      )}
    </>
  );
}
