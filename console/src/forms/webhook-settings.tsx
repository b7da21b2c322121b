import type { PutWebhookRequest, WebhookConfig } from "@botyard/sdk";
import { Button, Checkbox, Group, NumberInput, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { queries } from "../api/queries.js";
import { queryClient, refresh } from "../api/query-client.js";
import { EVENT_KINDS } from "../ui/event-kinds.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { useDraft } from "./drafts.js";
import { focusError, showRefused } from "./errors.js";
import { useFollow } from "./follow.js";

const FIELDS = [
  "event_types",
  "max_batch",
  "max_in_flight",
  "max_per_second",
  "auto_pause",
  "headers",
] as const;
const KINDS = [...EVENT_KINDS, "*"];
const MAX_TYPES = 100;
/** What the service does when nothing is set. */
const DEFAULTS = { event_types: [], max_batch: 1, max_in_flight: 16, max_per_second: 0, auto_pause: "5d" };

interface SettingsValues extends Record<string, unknown> {
  /** Empty for all. */
  event_types: string[];
  max_batch: number | string;
  max_in_flight: number | string;
  /** 0 for no limit. */
  max_per_second: number | string;
  auto_pause: string;
  /** A line for each; empty leaves those that are set. */
  headers: string;
  removesHeaders: boolean;
}

interface WebhookSettingsProps {
  botId: string;
  name: string | undefined;
  webhook: WebhookConfig;
}

/** What a webhook is sent, how many at once and how fast, and the headers of the owner's own. */
export function WebhookSettingsForm({ botId, name, webhook }: WebhookSettingsProps) {
  const saved = valuesOf(webhook);
  const form = useForm<SettingsValues>({
    initialValues: saved,
    validate: {
      headers: (text) => headersIn(text) === undefined && "A name, a colon and a value on each line",
    },
  });
  useDraft(`settings of the webhook ${name ?? ""} of ${botId}`, form);
  useFollow(form, saved);
  const saving = useMutation({
    async mutationFn(values: SettingsValues) {
      // Others may have changed the URL since.
      const { url } = await queryClient.fetchQuery({ ...queries.webhook(botId, name), staleTime: 0 });
      if (url === "") return undefined;
      return await owner.putWebhook(botId, { url, ...changesOf(values, saved) }, { webhook: name });
    },
    async onSuccess(after) {
      await refresh(["bots"], ["bot", botId]);
      if (!after) return;
      const values = valuesOf(after);
      form.setValues(values);
      form.resetDirty(values);
      notifications.show({ message: "Saved" });
    },
    onError(error) {
      showRefused(form, refusedField(error, FIELDS));
    },
  });
  const { header_names: headerNames = [] } = webhook;
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values), focusError(form))} noValidate>
      <Stack gap="md" maw={560}>
        <TagsInput
          label="Kinds of events"
          description="Of those that the bot hears: exact (ticket.opened), or all that begin alike (ticket.*). Empty: all."
          data={KINDS}
          maxTags={MAX_TYPES}
          acceptValueOnBlur
          {...form.getInputProps("event_types")}
        />
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
        {!refusedField(saving.error, FIELDS) && <FailureAlert error={saving.error} />}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Apply the settings
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function valuesOf(webhook: WebhookConfig): SettingsValues {
  const { event_types, max_batch, max_in_flight, max_per_second, auto_pause } = webhook;
  return {
    event_types: event_types ?? DEFAULTS.event_types,
    max_batch: max_batch ?? DEFAULTS.max_batch,
    max_in_flight: max_in_flight ?? DEFAULTS.max_in_flight,
    max_per_second: max_per_second ?? DEFAULTS.max_per_second,
    auto_pause: auto_pause ?? DEFAULTS.auto_pause,
    headers: "",
    removesHeaders: false,
  };
}

/** Only what was changed is sent, so that what others have set meanwhile stays. */
function changesOf(values: SettingsValues, saved: SettingsValues): Partial<PutWebhookRequest> {
  const { event_types, auto_pause, headers, removesHeaders } = values;
  const numbers = (["max_batch", "max_in_flight", "max_per_second"] as const).flatMap((name) =>
    values[name] === saved[name] ? [] : [[name, values[name] === "" ? DEFAULTS[name] : Number(values[name])]],
  );
  return {
    ...Object.fromEntries(numbers),
    ...(event_types.join() !== saved.event_types.join() && { event_types }),
    ...(auto_pause !== saved.auto_pause && { auto_pause: auto_pause.trim() || DEFAULTS.auto_pause }),
    ...(removesHeaders ? { headers: {} } : headers.trim() !== "" && { headers: headersIn(headers) }),
  };
}

/** @returns undefined when a line is no header */
function headersIn(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const headers = lines.map((line) => /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line));
  if (!headers.every((header) => header !== null)) return undefined;
  return Object.fromEntries(headers.map(([, name = "", value = ""]) => [name, value]));
}
