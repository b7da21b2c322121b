import type { CreateChannelRequest } from "@botyard/sdk";
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { draftOf, dropDraft, useDraft } from "./drafts.js";
import { focusError, showRefused } from "./errors.js";
import { MetadataField, withMetadata } from "./metadata.js";
import { description, externalId, metadata, slug, title } from "./rules.js";
import { slugOf } from "./slug-of.js";

interface CreateChannelProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates a channel and opens it. */
export function CreateChannelDialog({ opened, onClose }: CreateChannelProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Create a channel" size="lg">
      <CreateChannelForm onClose={onClose} />
    </Modal>
  );
}

const DRAFT = "new channel";
const FIELDS = ["slug", "title", "description", "external_id", "metadata"] as const;

function CreateChannelForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { title: "", slug: "", description: "", external_id: "", metadata: "" },
    validate: { title, slug, description, external_id: externalId, metadata },
    validateInputOnChange: true,
  });
  useDraft(DRAFT, form);
  const creation = useMutation({
    mutationFn: (channel: CreateChannelRequest) => owner.createChannel(channel),
    async onSuccess({ id }) {
      dropDraft(DRAFT);
      void refresh(["channels"]);
      await navigate({ to: "/channels/$channelId", params: { channelId: id } });
    },
    onError(error) {
      showRefused(form, refusedField(error, FIELDS));
    },
  });
  const isShownInField = refusedField(creation.error, FIELDS);
  /** The slug follows the title until it is edited. */
  const [isSlugOwn, setSlugOwn] = useState(() => {
    const { title = "", slug = "" } = draftOf<{ title: string; slug: string }>(DRAFT) ?? {};
    return slug !== slugOf(title);
  });
  const titleInput = form.getInputProps("title");
  const slugInput = form.getInputProps("slug");
  return (
    <form
      onSubmit={form.onSubmit(
        ({ external_id, metadata, ...channel }) =>
          creation.mutate({
            ...channel,
            ...(external_id === "" ? {} : { external_id }),
            ...(metadata.trim() === "" ? {} : withMetadata({ metadata })),
          }),
        focusError(form),
      )}
    >
      <Stack gap="md">
        <TextInput
          label="Title"
          placeholder="Weather reports"
          data-autofocus
          required
          {...titleInput}
          onChange={(event) => {
            titleInput.onChange(event);
            if (!isSlugOwn) form.setFieldValue("slug", slugOf(event.currentTarget.value));
          }}
        />
        <TextInput
          label="Slug"
          description="Its name in URLs. Unique in this service; it cannot be changed later."
          placeholder="weather-reports"
          leftSection="#"
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          required
          {...slugInput}
          onChange={(event) => {
            slugInput.onChange(event);
            setSlugOwn(true);
          }}
        />
        <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
        <TextInput
          label="External id"
          description="Your own id of the channel, unique among your channels: programs find it by that. Optional; it cannot be changed later."
          placeholder="room-42"
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("external_id")}
        />
        <MetadataField {...form.getInputProps("metadata")} />
        {!isShownInField && <FailureAlert error={creation.error} />}
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={() => {
              dropDraft(DRAFT);
              onClose();
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
