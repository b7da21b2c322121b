import type { BotWithToken, CreateBotRequest } from "@botyard/sdk";
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { dropDraft, useDraft } from "./drafts.js";
import { focusError, showRefused } from "./errors.js";
import { MetadataField, withMetadata } from "./metadata.js";
import { NewToken, useTokenGuard } from "./new-token.js";
import { description, displayName, metadata, username } from "./rules.js";

const DRAFT = "new bot";
const FIELDS = ["username", "display_name", "description", "metadata"] as const;

/** Creates a bot, then shows its token, only once. */
export function CreateBotDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<BotWithToken>();
  useTokenGuard(created !== undefined);
  const close = () => {
    onClose();
    setCreated(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? `@${created.bot.username} is ready` : "Create a bot"}
      size="lg"
      // The token is shown only once, so an accidental click must not close the dialog.
      closeOnClickOutside={!created}
      closeOnEscape={!created}
      withCloseButton={!created}
    >
      {created ? (
        <NewToken bot={created.bot} token={created.token.token} onDone={close} />
      ) : (
        <CreateBotForm onCreated={setCreated} onCancel={close} />
      )}
    </Modal>
  );
}

interface CreateBotFormProps {
  onCreated: (bot: BotWithToken) => void;
  onCancel: () => void;
}

function CreateBotForm({ onCreated, onCancel }: CreateBotFormProps) {
  const form = useForm({
    initialValues: { username: "", display_name: "", description: "", metadata: "" },
    validate: { username, display_name: displayName, description, metadata },
    validateInputOnChange: true,
  });
  useDraft(DRAFT, form);
  const creation = useMutation({
    mutationFn: (bot: CreateBotRequest) => owner.createBot(bot),
    onSuccess(created) {
      // Before anything else that could fail: only this answer has the token.
      onCreated(created);
      dropDraft(DRAFT);
      void refresh(["bots"]);
    },
    onError(error) {
      showRefused(form, refusedField(error, FIELDS));
    },
  });
  const isShownInField = refusedField(creation.error, FIELDS);
  return (
    <form
      onSubmit={form.onSubmit(
        ({ display_name, metadata, ...bot }) =>
          creation.mutate({
            ...bot,
            ...(display_name ? { display_name } : {}),
            ...(metadata.trim() === "" ? {} : withMetadata({ metadata })),
          }),
        focusError(form),
      )}
    >
      <Stack gap="md">
        <TextInput
          label="Username"
          description="The author name of its posts. Unique in this service; it cannot be changed later."
          placeholder="weather_bot"
          leftSection="@"
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          required
          {...form.getInputProps("username")}
        />
        <TextInput
          label="Display name"
          description="Shown to people. By default the username."
          {...form.getInputProps("display_name")}
        />
        <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
        <MetadataField {...form.getInputProps("metadata")} />
        {!isShownInField && <FailureAlert error={creation.error} />}
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={() => {
              dropDraft(DRAFT);
              onCancel();
            }}
          >
            Cancel
          </Button>
          <Button type="submit" loading={creation.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
