import type { BotRecord } from "@botyard/sdk";
import { Button, Group, Select } from "@mantine/core";
import { useState } from "react";

interface AttachBotProps {
  /** Those that are not in the channel. */
  bots: readonly BotRecord[];
  isBusy: boolean;
  onAttach: (botId: string) => void;
}

/** Attaches one more bot to a channel. */
export function AttachBot({ bots, isBusy, onAttach }: AttachBotProps) {
  const [chosen, setChosen] = useState<string | null>(null);
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
      <Button
        variant="default"
        loading={isBusy}
        disabled={chosen === null}
        onClick={() => {
          if (chosen !== null) onAttach(chosen);
          setChosen(null);
        }}
      >
        Attach
      </Button>
    </Group>
  );
}
