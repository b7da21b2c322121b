import type { WebhookConfig } from "@botyard/sdk";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { useDraft } from "./drafts.js";
import { focusError, showRefused } from "./errors.js";
import { secretToken, webhookUrl } from "./rules.js";

const FIELDS = ["url", "secret_token"] as const;

/** Sets where alerts are sent, and the secret that signs them. */
export function AlertsForm({ webhook }: { webhook: WebhookConfig }) {
  const form = useForm({
    initialValues: { url: webhook.url, secret_token: "" },
    validate: {
      url: webhookUrl,
      secret_token: (text) => (text === "" ? undefined : secretToken(text)),
    },
    validateInputOnBlur: true,
  });
  useDraft("alerts", form);
  const saving = useMutation({
    mutationFn: ({ url, secret_token }: typeof form.values) =>
      owner.putAlerts({ url: url.trim(), ...(secret_token !== "" && { secret_token }) }),
    async onSuccess(_, { url }) {
      form.setValues({ secret_token: "" });
      form.resetDirty({ url, secret_token: "" });
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
        <TextInput
          label="Secret"
          description={
            webhook.has_secret_token
              ? "One is set; what is typed here takes its place. It goes when the URL gets another origin."
              : "Each alert is signed with it, so that the receiver can verify the sender. Empty: none."
          }
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("secret_token")}
        />
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
