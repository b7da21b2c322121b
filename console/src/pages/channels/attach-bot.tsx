import type { BotRecord, BotRole } from "@botyard/sdk";
import { Button, Group, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../../api/queries.js";
import { RoleField } from "../../forms/role-field.js";

interface AttachBotProps {
  /** The owner's bots that are not in the channel. */
  bots: readonly BotRecord[];
  /** Ids of the bots that are. */
  attached: readonly string[];
  isBusy: boolean;
  onAttach: (botId: string, role: BotRole) => void;
}

/** Time without a key before the listed bots are searched. */
const TYPING_MS = 250;

/** Attaches one more bot to a channel: one of the owner's, or a listed one, for which the lesser role is proposed. */
export function AttachBot({ bots, attached, isBusy, onAttach }: AttachBotProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [role, setRole] = useState<BotRole>("moderator");
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const listed = useQuery({ ...queries.listedBots(search), placeholderData: keepPreviousData });
  const own = new Set(bots.map(({ id }) => id).concat(attached));
  const others = (listed.data ?? []).filter(({ id }) => !own.has(id));
  const choices = (some: readonly Pick<BotRecord, "id" | "display_name" | "username">[]) =>
    some.map(({ id, display_name: name, username }) => ({ value: id, label: `${name} (@${username})` }));
  if (bots.length + others.length === 0 && search === "") return null;
  return (
    <Group gap="sm">
      <Select
        aria-label="Bot to attach"
        placeholder="A bot"
        searchable
        data={[
          { group: "Your bots", items: choices(bots) },
          { group: "Listed bots", items: choices(others) },
        ]}
        value={chosen}
        onChange={(botId) => {
          setChosen(botId);
          if (botId !== null) setRole(others.some(({ id }) => id === botId) ? "member" : "moderator");
        }}
        onSearchChange={setText}
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
