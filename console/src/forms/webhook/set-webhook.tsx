import type { PutWebhookRequest, WebhookConfig } from "@botyard/sdk";
import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { refusedField } from "../../api/failure.js";
import { queries } from "../../api/queries.js";
import { queryClient, refresh } from "../../api/query-client.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { useDraft } from "../drafts.js";
import { focusError, showRefused } from "../errors.js";
import { webhookUrl } from "../rules.js";
import {
  checkFirstUpdate,
  DeliverFromField,
  type DeliverFromValues,
  deliverFromOf,
} from "./deliver-from-field.js";
import { checkSecret, SecretField, type SecretValues, secretOf, secretValuesOf } from "./secret-field.js";

const FIELDS = ["url", "secret_token", "deliver_from"] as const;

interface WebhookValues extends Record<string, unknown>, SecretValues, DeliverFromValues {
  url: string;
}

interface SetWebhookProps {
  botId: string;
  /** Left out for the one named `default`. */
  name?: string | undefined;
  webhook: WebhookConfig;
}

/** Sets the URL that updates are sent to, and the secret that signs them. Says so when the webhook is removed meanwhile. */
export function SetWebhookForm({ botId, name, webhook }: SetWebhookProps) {
  const isSet = webhook.url !== "";
  const [wasSet, setWasSet] = useState(isSet);
  if (isSet && !wasSet) setWasSet(true);
  return (
    <Stack gap="md">
      {wasSet && !isSet && (
        <Alert color="orange" title="The webhook was removed meanwhile" maw={560}>
          Its secret is gone too. A webhook that is set now has the secret chosen below, which the receiver
          must know.
        </Alert>
      )}
      {/* The key begins a new form once a webhook is set, or removed. */}
      <WebhookForm key={isSet ? "set" : "new"} botId={botId} name={name} webhook={webhook} />
    </Stack>
  );
}

function WebhookForm({ botId, name, webhook }: SetWebhookProps) {
  const form = useForm<WebhookValues>({
    initialValues: {
      url: webhook.url,
      ...secretValuesOf(webhook),
      deliver_from: "",
      first_update: "",
    },
    validate: { url: webhookUrl, secret_token: checkSecret, first_update: checkFirstUpdate },
    validateInputOnBlur: true,
  });
  useDraft(`webhook ${name ?? ""} of ${botId}`, form);
  const setting = useMutation({
    async mutationFn({ wanted }: { wanted: PutWebhookRequest; values: WebhookValues }) {
      // What this page shows may be five seconds old: "keep the secret" of a removed webhook would send unsigned.
      const current = await queryClient.fetchQuery({ ...queries.webhook(botId, name), staleTime: 0 });
      if ((current.url === "") !== (webhook.url === "")) return false;
      if (wanted.secret_token === undefined && current.has_secret_token !== webhook.has_secret_token)
        return false;
      await owner.putWebhook(botId, wanted, { webhook: name });
      return true;
    },
    async onSuccess(isSaved, { values }) {
      if (!isSaved) {
        notifications.show({
          color: "orange",
          message: "Somebody has changed the webhook meanwhile: check, then save",
        });
        return;
      }
      await refresh(["bots"], ["bot", botId]);
      // Input since the form was sent is still unsaved.
      form.resetDirty(values);
      notifications.show({ message: "The webhook is set" });
    },
    onError(error) {
      showRefused(form, refusedField(error, FIELDS));
    },
  });
  const isOtherUrl = form.values.url.trim() !== webhook.url;
  const submit = form.onSubmit((values) => {
    const deliver_from = isOtherUrl ? deliverFromOf(values) : undefined;
    const wanted = {
      // When only the secret was changed, the current URL is sent, which others may have changed.
      url: form.isDirty("url") ? values.url.trim() : webhook.url,
      ...secretOf(values),
      ...(deliver_from !== undefined && { deliver_from }),
    };
    setting.mutate({ wanted, values });
  }, focusError(form));
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={560}>
        <TextInput
          label="URL"
          type="url"
          placeholder="https://example.com/updates"
          required
          {...form.getInputProps("url")}
        />
        <SecretField form={form} webhook={webhook} />
        {isOtherUrl && (
          <DeliverFromField
            form={form}
            botId={botId}
            isNewlyNamed={name !== undefined && webhook.url === ""}
          />
        )}
        {!refusedField(setting.error, FIELDS) && <FailureAlert error={setting.error} />}
        <Group>
          <Button type="submit" loading={setting.isPending} disabled={webhook.url !== "" && !form.isDirty()}>
            {webhook.url === "" ? "Set the webhook" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
