import type { PutWebhookRequest, WebhookConfig } from "@botyard/sdk";
import { Alert, Button, Group, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { queries } from "../api/queries.js";
import { queryClient, refresh } from "../api/query-client.js";
import { Copy } from "../ui/copy.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { useDraft } from "./drafts.js";
import { focusError, showRefused } from "./errors.js";
import { secretToken, webhookUrl } from "./rules.js";

const FIELDS = ["url", "secret_token", "deliver_from"] as const;
const SECRET_BYTES = 32;
const FROM_NOW = "Only what is recorded from now on";

interface WebhookValues extends Record<string, unknown> {
  url: string;
  secret: "keep" | "set" | "none";
  secret_token: string;
  /** Empty for the service's default. */
  deliver_from: string;
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
  const consumers = useQuery(queries.consumers(botId));
  const form = useForm<WebhookValues>({
    initialValues: {
      url: webhook.url,
      secret: webhook.has_secret_token ? "keep" : webhook.url === "" ? "set" : "none",
      secret_token: webhook.url === "" ? newSecret() : "",
      deliver_from: "",
    },
    validate: {
      url: webhookUrl,
      secret_token: (text, { secret }) => (secret === "set" ? secretToken(text) : undefined),
    },
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
  const { url, secret, secret_token } = form.values;
  const isOtherUrl = url.trim() !== webhook.url;
  const submit = form.onSubmit((values) => {
    const { url, secret, secret_token, deliver_from } = values;
    const secretField = { keep: {}, set: { secret_token }, none: { secret_token: "" } }[secret];
    const wanted = {
      // When only the secret was changed, the current URL is sent, which others may have changed.
      url: form.isDirty("url") ? url.trim() : webhook.url,
      ...secretField,
      ...(deliver_from && isOtherUrl ? { deliver_from } : {}),
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
        <Radio.Group
          label="Secret"
          description="Each request contains it and is signed with it, so that the receiver can verify the sender."
          {...form.getInputProps("secret")}
        >
          <Stack gap={8} mt="xs">
            {webhook.has_secret_token && <Radio value="keep" label="Keep the current secret" />}
            <Radio value="set" label={webhook.has_secret_token ? "Set a new secret" : "Use a secret"} />
            <Radio value="none" label="None: anybody who knows the URL can send to it" />
          </Stack>
        </Radio.Group>
        {secret === "set" && (
          <Group gap={4} align="flex-start" wrap="nowrap">
            <TextInput
              aria-label="Secret token"
              placeholder="Type or generate a secret"
              flex={1}
              autoComplete="off"
              spellCheck={false}
              ff="monospace"
              {...form.getInputProps("secret_token")}
            />
            {secret_token !== "" && <Copy text={secret_token} what="secret" />}
            <Button variant="default" onClick={() => form.setValues({ secret_token: newSecret() })}>
              Generate
            </Button>
          </Group>
        )}
        {isOtherUrl && (
          <Select
            label="Deliver"
            description="Which of the updates that are not delivered go to the new URL. The others are skipped and never sent."
            data={[
              ...(name !== undefined && webhook.url === ""
                ? [{ value: "", label: FROM_NOW }]
                : [
                    { value: "", label: "What no consumer has handled" },
                    { value: "now", label: FROM_NOW },
                  ]),
              { value: "backlog", label: "All of them" },
              ...(consumers.data ?? []).map(({ name }) => ({
                value: `consumer:${name}`,
                label: `What the consumer ${name} has not handled`,
              })),
            ]}
            allowDeselect={false}
            {...form.getInputProps("deliver_from")}
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

/** 256 random bits as printable characters. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
