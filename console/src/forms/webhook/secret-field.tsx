import type { WebhookConfig } from "@botyard/sdk";
import { Button, Group, Radio, Stack, TextInput } from "@mantine/core";
import { Copy } from "../../ui/copy.js";
import { secretToken } from "../rules.js";

const SECRET_BYTES = 32;

/** What becomes of a webhook's secret. */
export interface SecretValues {
  secret: "keep" | "set" | "none";
  secret_token: string;
}

/** A new webhook is proposed a secret. */
export function secretValuesOf(webhook: WebhookConfig): SecretValues {
  if (webhook.url === "") return { secret: "set", secret_token: newSecret() };
  return { secret: webhook.has_secret_token ? "keep" : "none", secret_token: "" };
}

/** The part of the request that is about it. */
export function secretOf({ secret, secret_token }: SecretValues): { secret_token?: string } {
  return { keep: {}, set: { secret_token }, none: { secret_token: "" } }[secret];
}

/** For `validate` of a form. */
export function checkSecret(text: string, { secret }: SecretValues): string | undefined {
  return secret === "set" ? secretToken(text) : undefined;
}

/** The part of a @mantine/form that is used here. */
interface FormWithSecret {
  values: SecretValues & { url: string };
  getInputProps(field: keyof SecretValues): object;
  setValues(values: Partial<SecretValues>): void;
}

interface SecretFieldProps {
  form: FormWithSecret;
  webhook: WebhookConfig;
}

/** Chooses whether the secret stays, is set or is removed. */
export function SecretField({ form, webhook }: SecretFieldProps) {
  const { url, secret, secret_token } = form.values;
  return (
    <>
      <Radio.Group
        label="Secret"
        description="Each request contains it and is signed with it, so that the receiver can verify the sender."
        {...form.getInputProps("secret")}
      >
        <Stack gap={8} mt="xs">
          {webhook.has_secret_token && (
            <Radio
              value="keep"
              label="Keep the current secret"
              description={
                isOtherOrigin(url, webhook.url) &&
                "Not at another origin: the service removes the secret, and headers of your own, unless they are set anew."
              }
            />
          )}
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
    </>
  );
}

function isOtherOrigin(url: string, other: string): boolean {
  return URL.canParse(url) && URL.canParse(other) && new URL(url).origin !== new URL(other).origin;
}

/** 256 random bits as printable characters. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
