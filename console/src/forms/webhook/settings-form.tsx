import type { WebhookConfig } from "@botyard/sdk";
import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { refusedField } from "../../api/failure.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { useDraft } from "../drafts.js";
import { focusError, showRefused } from "../errors.js";
import { useFollow } from "../follow.js";
import {
  changesOf,
  headersIn,
  SETTINGS,
  type SettingsChanges,
  type SettingsValues,
  valuesOf,
} from "./settings-values.js";

const MAX_TYPES = 100;
const MAX_HOLD_ATTEMPTS = 10;

const ORDERS: readonly { value: SettingsValues["order"]; label: string }[] = [
  { value: "none", label: "None: updates are sent side by side" },
  { value: "channel", label: "By channel: one after another in each channel" },
  { value: "bot", label: "All: one request at a time" },
];

interface SettingsProps {
  webhook: WebhookConfig;
  /** The key of its draft. */
  draft: string;
  /** What is proposed as kinds of events. */
  kinds: readonly string[];
  kindsHint: string;
  /** @returns the webhook as it is now; undefined when it was removed meanwhile */
  save(changes: SettingsChanges): Promise<WebhookConfig | undefined>;
}

/** What a webhook is sent, in which order, how many at once and how fast, and the headers of the owner's own. */
export function SettingsForm({ webhook, draft, kinds, kindsHint, save }: SettingsProps) {
  const saved = valuesOf(webhook);
  const form = useForm<SettingsValues>({
    initialValues: saved,
    validate: {
      headers: (text) => headersIn(text) === undefined && "A name, a colon and a value on each line",
    },
  });
  useDraft(draft, form);
  useFollow(form, saved);
  const saving = useMutation({
    mutationFn: (values: SettingsValues) => save(changesOf(values, saved)),
    onSuccess(after) {
      if (!after) return;
      const values = valuesOf(after);
      form.setValues(values);
      form.resetDirty(values);
      notifications.show({ message: "Saved" });
    },
    onError(error) {
      showRefused(form, refusedField(error, SETTINGS));
    },
  });
  const { header_names: headerNames = [] } = webhook;
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values), focusError(form))} noValidate>
      <Stack gap="md" maw={560}>
        <TagsInput
          label="Kinds of events"
          description={kindsHint}
          data={kinds}
          maxTags={MAX_TYPES}
          acceptValueOnBlur
          {...form.getInputProps("event_types")}
        />
        <NativeSelect
          label="Order"
          description="With an order, an update waits until the one before it was accepted, or has failed for good."
          data={ORDERS}
          {...form.getInputProps("order")}
        />
        {form.values.order !== "none" && (
          <NumberInput
            label="Attempts until an update is set aside"
            description={`1 to ${MAX_HOLD_ATTEMPTS} refusals. It has then failed and can be replayed; the next one is sent.`}
            min={1}
            max={MAX_HOLD_ATTEMPTS}
            {...form.getInputProps("hold_attempts")}
          />
        )}
        <Group gap="md" grow align="flex-start">
          <NumberInput label="Updates a request" min={1} max={100} {...form.getInputProps("max_batch")} />
          <NumberInput label="Requests at once" min={1} max={64} {...form.getInputProps("max_in_flight")} />
          <NumberInput
            label="Requests a second"
            description="0: no limit"
            inputWrapperOrder={["label", "input", "description", "error"]}
            min={0}
            max={1000}
            {...form.getInputProps("max_per_second")}
          />
        </Group>
        <TextInput
          label="Pause after failing for"
          description="A duration such as 12h or 5d, or off. A receiver that answers 410 is paused at once."
          {...form.getInputProps("auto_pause")}
        />
        <Textarea
          label="Headers of your own"
          description={
            headerNames.length === 0
              ? "One on each line, such as Authorization: Bearer 4f1c. Their values are not shown again."
              : `Set: ${headerNames.join(", ")}. What is typed here takes their place.`
          }
          autosize
          minRows={1}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("headers")}
        />
        {headerNames.length > 0 && (
          <Checkbox
            label="Remove the headers that are set"
            {...form.getInputProps("removesHeaders", { type: "checkbox" })}
          />
        )}
        {!refusedField(saving.error, SETTINGS) && <FailureAlert error={saving.error} />}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Apply the settings
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
