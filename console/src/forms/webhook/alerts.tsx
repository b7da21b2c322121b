import type { WebhookConfig } from "@botyard/sdk";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../api/client.js";
import { refusedField } from "../../api/failure.js";
import { refresh } from "../../api/query-client.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { useDraft } from "../drafts.js";
import { focusError, showRefused } from "../errors.js";
import { webhookUrl } from "../rules.js";
import { checkSecret, SecretField, type SecretValues, secretOf, secretValuesOf } from "./secret-field.js";

const FIELDS = ["url", "secret_token"] as const;

interface AlertsValues extends Record<string, unknown>, SecretValues {
  url: string;
}

/** Sets where alerts are sent, and the secret that signs them. */
export function AlertsForm({ webhook }: { webhook: WebhookConfig }) {
  const form = useForm<AlertsValues>({
    initialValues: { url: webhook.url, ...secretValuesOf(webhook) },
    validate: { url: webhookUrl, secret_token: checkSecret },
    validateInputOnBlur: true,
  });
  useDraft("alerts", form);
  const saving = useMutation({
    mutationFn: (values: AlertsValues) => owner.putAlerts({ url: values.url.trim(), ...secretOf(values) }),
    async onSuccess(after) {
      const values = { url: after.url, ...secretValuesOf(after) };
      form.setValues(values);
      form.resetDirty(values);
      await refresh(["alerts"]);
      notifications.show({ message: "Alerts are sent to this URL" });
    },
    onError(error) {
      showRefused(form, refusedField(error, FIELDS));
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values), focusError(form))} noValidate>
      <Stack gap="md" maw={560}>
        <TextInput
          label="URL"
          type="url"
          placeholder="https://example.com/alerts"
          required
          {...form.getInputProps("url")}
        />
        <SecretField form={form} webhook={webhook} />
        {!refusedField(saving.error, FIELDS) && <FailureAlert error={saving.error} />}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            {webhook.url === "" ? "Send alerts" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
