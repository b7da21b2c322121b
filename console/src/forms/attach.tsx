import type { BotChannel, BotRole } from "@botyard/sdk";
import { Button, Checkbox, Group, Modal, ScrollArea, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../api/client.js";
import { queries } from "../api/queries.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { ChannelIcon } from "../ui/icons.js";
import { ButtonLink } from "../ui/links.js";
import { Loaded } from "../ui/loaded.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { matches, SearchField } from "../ui/search-field.js";
import { RoleField } from "./role-field.js";

interface AttachProps {
  botId: string;
  /** Channels that the bot is attached to. */
  attached: readonly BotChannel[];
  onClose: () => void;
}

/** Attaches a bot to some of the owner's channels. */
export function AttachDialog({ opened, ...props }: AttachProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.onClose} title="Attach to channels">
      <Picker {...props} />
    </Modal>
  );
}

const SEARCH_FROM_CHANNELS = 8;

function Picker({ botId, attached, onClose }: AttachProps) {
  const channels = useQuery(queries.channels());
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<string[]>([]);
  const [role, setRole] = useState<BotRole>("moderator");
  const attaching = useMutation({
    mutationFn: async (channelIds: readonly string[]) => {
      for (const channelId of channelIds) await owner.attachBot(botId, channelId, { role });
    },
    onSuccess: onClose,
    onSettled: () => refresh(["bots"], ["bot", botId], ["channel"]),
  });
  const already = new Set(attached.map(({ id }) => id));
  return (
    <Loaded query={channels}>
      {(all) => {
        const free = all.filter(({ id }) => !already.has(id));
        if (free.length === 0) return <NoneLeft hasAny={all.length > 0} />;
        const found = free.filter(({ slug, title }) => matches(search, slug, title));
        return (
          <Stack gap="md">
            {free.length >= SEARCH_FROM_CHANNELS && (
              <SearchField label="Search channels" value={search} onChange={setSearch} />
            )}
            <Checkbox.Group aria-label="Channels" value={picked} onChange={setPicked}>
              <ScrollArea.Autosize mah={320} type="auto">
                <Stack gap="sm" py={4}>
                  {found.map(({ id, title, slug }) => (
                    <Checkbox key={id} value={id} label={title} description={`#${slug}`} />
                  ))}
                </Stack>
              </ScrollArea.Autosize>
            </Checkbox.Group>
            <RoleField label="Role" value={role} onChange={setRole} />
            <FailureAlert error={attaching.error} />
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button
                disabled={picked.length === 0}
                loading={attaching.isPending}
                onClick={() => attaching.mutate(picked)}
              >
                Attach
              </Button>
            </Group>
          </Stack>
        );
      }}
    </Loaded>
  );
}

function NoneLeft({ hasAny }: { hasAny: boolean }) {
  return (
    <NothingYet
      icon={<ChannelIcon />}
      title={hasAny ? "It is in all of your channels" : "You have no channel yet"}
      action={<ButtonLink to="/channels">{hasAny ? "Your channels" : "Create a channel"}</ButtonLink>}
    >
      {hasAny
        ? "Create another channel to attach it to."
        : "Channels are where posts appear. Create one first."}
    </NothingYet>
  );
}
