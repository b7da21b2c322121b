import { Autocomplete, Button, Group, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../../../api/queries.js";
import { EVENT_KINDS } from "../../../ui/event-kinds.js";
import { SearchIcon } from "../../../ui/icons.js";
import { localInput, parseLocalInput } from "../../../ui/local-time.js";
import { type DeliveryState, STATE_WORDS } from "../../../ui/state-badge.js";
import { numberIn, type UpdatesSearch } from "../../search-params.js";

/** A search begins this long after the last key. */
const TYPING_MS = 400;
/** As the service counts them. */
const MAX_SEARCH_CHARS = 128;

const STATES = [
  { value: "", label: "In any state" },
  ...Object.entries(STATE_WORDS).map(([value, label]) => ({
    value,
    // For a bot without a webhook these are all updates, read or not.
    label: value === "pending" ? "Pending: not sent yet" : label,
  })),
];

type Part = Omit<UpdatesSearch, "update">;

interface FiltersProps {
  botId: string;
  part: Part;
  onShow: (part: Part) => void;
  onOpen: (updateId: number) => void;
}

/** Filters of the updates: text or number, channel, kind, state and time. All are in the URL. */
export function Filters({ botId, part, onShow, onOpen }: FiltersProps) {
  const { data: channels = [] } = useQuery(queries.botChannels(botId));
  const [search, setSearch] = useState(part.search ?? "");
  const [kind, setKind] = useState(part.kind ?? "");
  const showTyped = useDebouncedCallback(
    (search: string, kind: string, typedAt: string) => {
      // A pending search must not navigate back to a page that was left, which is shown until the next one is loaded.
      if (window.location.pathname !== typedAt) return;
      onShow({ ...part, search: search.trim() || undefined, kind: kind.trim() || undefined });
    },
    { delay: TYPING_MS, flushOnUnmount: false },
  );
  const number = numberIn(search);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="xs" verticalSpacing="xs">
        <TextInput
          aria-label="Search updates"
          placeholder="Text, id of a post, or number"
          leftSection={<SearchIcon size={16} />}
          maxLength={MAX_SEARCH_CHARS}
          value={search}
          onChange={({ currentTarget: { value } }) => {
            setSearch(value);
            showTyped(value, kind, window.location.pathname);
          }}
        />
        <NativeSelect
          aria-label="Show updates of the channel"
          data={[
            { value: "", label: "In any channel" },
            ...channels.map(({ id, slug }) => ({ value: id, label: `#${slug}` })),
          ]}
          value={part.channel ?? ""}
          onChange={({ currentTarget: { value } }) => onShow({ ...part, channel: value || undefined })}
        />
        <Autocomplete
          aria-label="Show updates of the kind"
          placeholder="Of any kind; ticket.* for many"
          data={EVENT_KINDS}
          value={kind}
          onChange={(value) => {
            setKind(value);
            showTyped(search, value, window.location.pathname);
          }}
        />
        <NativeSelect
          aria-label="Show updates that are"
          data={STATES}
          value={part.state ?? ""}
          onChange={({ currentTarget: { value } }) =>
            onShow({ ...part, state: value === "" ? undefined : (value as DeliveryState) })
          }
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs">
        <TimeField
          label="Recorded since"
          value={part.since}
          onChange={(since) => onShow({ ...part, since })}
        />
        <TimeField
          label="Recorded before"
          value={part.until}
          error={isBackwards(part) && "Earlier than “since”: nothing lies between"}
          onChange={(until) => onShow({ ...part, until })}
        />
      </SimpleGrid>
      {(number !== undefined || Object.values(part).some((value) => value !== undefined)) && (
        <Group gap="xs">
          {number !== undefined && (
            <Button
              size="xs"
              variant="light"
              onClick={() => {
                // Runs the pending search now, behind the drawer; later it would close the drawer.
                showTyped.flush();
                onOpen(number);
              }}
            >
              Open update {number}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setSearch("");
              setKind("");
              onShow({});
            }}
          >
            Show all updates
          </Button>
        </Group>
      )}
    </>
  );
}

function isBackwards({ since, until }: Part): boolean {
  return since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until);
}

interface TimeFieldProps {
  label: string;
  value: string | undefined;
  error?: string | false;
  onChange: (time: string | undefined) => void;
}

function TimeField({ label, value, error, onChange }: TimeFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      error={error}
      value={value === undefined ? "" : localInput(Date.parse(value))}
      onChange={({ currentTarget }) => {
        const ms = parseLocalInput(currentTarget.value);
        onChange(ms === undefined ? undefined : new Date(ms).toISOString());
      }}
    />
  );
}
