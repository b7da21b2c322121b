import type { BotRole } from "@botyard/sdk";
import { Button, Group, Modal, Select, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../api/client.js";
import { queries } from "../api/queries.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { Loaded } from "../ui/loaded.js";
import { count } from "../ui/numbers.js";
import { RoleField } from "./role-field.js";

interface AttachBotsProps {
  botIds: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

/** Attaches several bots to one channel; bots that are attached already get the chosen role. */
export function AttachBotsDialog({ botIds, onClose, onDone }: AttachBotsProps) {
  const channels = useQuery(queries.channels());
  const [channelId, setChannelId] = useState<string | null>(null);
  const [role, setRole] = useState<BotRole>("moderator");
  const attaching = useMutation({
    mutationFn: async (channelId: string) => {
      for (const botId of botIds) await owner.attachBot(botId, channelId, { role });
    },
    onSuccess() {
      onClose();
      onDone();
    },
    onSettled: () => refresh(["bots"], ["bot"], ["channel"]),
  });
  return (
    <Modal opened onClose={onClose} title={`Attach ${count(botIds.length, "bot")} to a channel`}>
      <Loaded query={channels}>
        {(channels) => (
          <Stack gap="md">
            <Select
              label="Channel"
              searchable
              data={channels.map(({ id, title, slug }) => ({ value: id, label: `${title} (#${slug})` }))}
              value={channelId}
              onChange={setChannelId}
              nothingFoundMessage="No channel is called that"
            />
            <RoleField
              label="Role"
              description="Bots that are in the channel already get it too."
              value={role}
              onChange={setRole}
            />
            <FailureAlert error={attaching.error} />
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button
                disabled={channelId === null}
                loading={attaching.isPending}
                onClick={() => channelId !== null && attaching.mutate(channelId)}
              >
                Attach
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}
