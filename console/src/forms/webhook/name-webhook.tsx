import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { focusError } from "../errors.js";
import { webhookName } from "../rules.js";

interface NameWebhookProps {
  botId: string;
  /** Names of webhooks that the bot has. */
  taken: readonly string[];
  opened: boolean;
  onClose: () => void;
}

/** Asks for the name of another webhook, and opens the page on which it is set. */
export function NameWebhookDialog({ opened, onClose, ...naming }: NameWebhookProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add a webhook">
      <NameForm onClose={onClose} {...naming} />
    </Modal>
  );
}

function NameForm({ botId, taken, onClose }: Omit<NameWebhookProps, "opened">) {
  const navigate = useNavigate();
  const isTaken = (name: string) =>
    [...taken, "default"].some((other) => other.toLowerCase() === name.toLowerCase());
  const form = useForm({
    initialValues: { name: "" },
    validate: {
      name: (name) => webhookName(name) ?? (isTaken(name) ? "The bot has one of this name" : undefined),
    },
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name: webhook }) => {
        onClose();
        void navigate({ to: "/bots/$botId/webhook", params: { botId }, search: { webhook } });
      }, focusError(form))}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          description="What it is for, such as audit. It cannot be changed later."
          data-autofocus
          required
          {...form.getInputProps("name")}
        />
        <Group justify="flex-end">
          <Button type="submit">Continue</Button>
        </Group>
      </Stack>
    </form>
  );
}
