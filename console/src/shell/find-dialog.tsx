import { Modal, Text, TextInput, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { describeFailure, type Failure } from "../api/failure.js";
import { queries } from "../api/queries.js";
import { SearchIcon } from "../ui/icons.js";
import classes from "./find-dialog.module.css";
import { action, foundIn, type Place, placesOf } from "./places.js";

const MOST_SHOWN = 12;
const NOTHING: readonly never[] = [];

interface FindDialogProps {
  onClose: () => void;
  onSignOut: () => void;
}

/** Ctrl-K: any bot, channel, page or action by words of its name. */
export function FindDialog({ onClose, onSignOut }: FindDialogProps) {
  const router = useRouter();
  const listId = useId();
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const { places, failure } = usePlaces(onSignOut);
  const found = foundIn(places, search, MOST_SHOWN);
  const chosen = found[Math.min(at, found.length - 1)];
  const open = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    place.act?.();
    if (place.href !== undefined) router.history.push(`${router.basepath}${place.href}`);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) open(chosen);
    else
      setAt(
        (before) => (Math.min(before, found.length - 1) + step + found.length) % Math.max(1, found.length),
      );
  };
  return (
    <Modal opened onClose={onClose} title="Find" size="lg" yOffset="10vh" centered={false}>
      <TextInput
        role="combobox"
        aria-label="Find a bot, a channel, a page or an action"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={chosen && `${listId}-${chosen.key}`}
        placeholder="A bot, a channel, or what to do"
        leftSection={<SearchIcon size={16} />}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
        data-autofocus
      />
      <div id={listId} role="listbox" aria-label="Found" className={classes["list"]}>
        {found.map((place) => (
          <div
            key={place.key}
            id={`${listId}-${place.key}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === chosen}
            className={classes["place"]}
            onClick={() => open(place)}
            onKeyDown={onKey}
          >
            <span className={classes["name"]}>{place.name}</span>
            <span className={classes["kind"]}>{place.kind}</span>
          </div>
        ))}
      </div>
      {failure && (
        <Text size="sm" role="status" mt="sm">
          {failure.title}. Only what was read before is found.
        </Text>
      )}
      {found.length === 0 && (
        <Text size="sm" c="dimmed" role="status" mt="sm">
          Nothing is called “{search.trim()}”.
        </Text>
      )}
    </Modal>
  );
}

/** While the service does not answer, data that was read before is searched. */
function usePlaces(onSignOut: () => void): { places: Place[]; failure: Failure | undefined } {
  const { setColorScheme } = useMantineColorScheme();
  const { botId } = useParams({ strict: false });
  const { data: bots = NOTHING, error: botsError } = useQuery(queries.bots());
  const { data: channels = NOTHING, error: channelsError } = useQuery(queries.channels());
  const actions = [
    action("Light theme", { act: () => setColorScheme("light") }),
    action("Dark theme", { act: () => setColorScheme("dark") }),
    action("Theme as the device", { act: () => setColorScheme("auto") }),
    action("API reference", { words: "docs", act: () => location.assign("/docs") }),
    action("Sign out", { act: onSignOut }),
  ];
  const error = botsError ?? channelsError;
  return {
    places: placesOf({ bots, channels, actions, openBotId: botId }),
    failure: error ? describeFailure(error, "repeated read") : undefined,
  };
}
