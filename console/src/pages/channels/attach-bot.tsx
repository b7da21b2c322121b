import type { BotRecord, BotRole } from "@botyard/sdk";
import { Button, Group, Select } from "@mantine/core";
import { useState } from "react";
import { RoleField } from "../../forms/role-field.js";

interface AttachBotProps {
  /** The bots that are not in the channel. */
  bots: readonly BotRecord[];
  isBusy: boolean;
  onAttach: (botId: string, role: BotRole) => void;
}

/** Attaches one more bot to a channel. */
export function AttachBot({ bots, isBusy, onAttach }: AttachBotProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [role, setRole] = useState<BotRole>("moderator");
  return (
    <Group gap="sm">
      <Select
        aria-label="Bot to attach"
        placeholder="A bot"
        searchable
        data={bots.map(({ id, display_name: name, username }) => ({
          value: id,
          label: `${name} (@${username})`,
        }))}
        value={chosen}
        onChange={setChosen}
        nothingFoundMessage="No bot is called that"
      />
      <RoleField aria-label="Its role in the channel" value={role} onChange={setRole} />
      <Button
        variant="default"
        loading={isBusy}
        disabled={chosen === null}
        onClick={() => {
          if (chosen !== null) onAttach(chosen, role);
          setChosen(null);
        }}
      >
        Attach
      </Button>
    </Group>
  );
}
