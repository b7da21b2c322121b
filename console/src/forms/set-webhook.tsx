import type { WebhookConfig } from "@botyard/sdk";
import { Button, Group, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { Copy } from "../ui/copy.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { secretToken, webhookUrl } from "./rules.js";

const FIELDS = ["url", "secret_token"] as const;
const SECRET_BYTES = 32;

interface WebhookValues {
  url: string;
  secret: "keep" | "set" | "none";
  secret_token: string;
}

/** Sets the URL that updates are sent to, and the secret that signs them. */
export function SetWebhookForm({ botId, webhook }: { botId: string; webhook: WebhookConfig }) {
  const queryClient = useQueryClient();
  const form = useForm<WebhookValues>({
    initialValues: {
      url: webhook.url,
      secret: webhook.has_secret_token ? "keep" : webhook.url === "" ? "set" : "none",
      secret_token: webhook.url === "" ? newSecret() : "",
    },
    validate: {
      url: webhookUrl,
      secret_token: (text, { secret }) => (secret === "set" ? secretToken(text) : undefined),
    },
    validateInputOnBlur: true,
  });
  const setting = useMutation({
    mutationFn: () => {
      const { url, secret, secret_token } = form.getValues();
      const secretField = { keep: {}, set: { secret_token }, none: { secret_token: "" } }[secret];
      return owner.putWebhook(botId, { url: url.trim(), ...secretField });
    },
    async onSuccess() {
      await queryClient.invalidateQueries();
      form.resetDirty();
      notifications.show({ message: "The webhook is set" });
    },
    onError(error) {
      const refused = refusedField(error, FIELDS);
      if (refused) form.setFieldError(refused.field, refused.message);
    },
  });
  const { secret, secret_token } = form.values;
  return (
    <form onSubmit={form.onSubmit(() => setting.mutate())} noValidate>
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
