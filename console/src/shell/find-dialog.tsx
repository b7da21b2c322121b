import { Modal, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { queries } from "../api/queries.js";
import { SearchIcon } from "../ui/icons.js";
import { matches } from "../ui/search-field.js";
import classes from "./find-dialog.module.css";

const MOST_SHOWN = 12;

/** Something to go to. */
interface Place {
  key: string;
  /** A bot, a channel, or an action. */
  kind: string;
  name: string;
  /** Further words to find it by. */
  words: readonly string[];
  href: string;
}

const BOT_PAGES = [
  ["updates", "Updates"],
  ["errors", "Errors"],
  ["live", "Live"],
  ["webhook", "Webhook"],
  ["settings", "Settings"],
] as const;

/** Ctrl-K: any bot, channel or action by a part of its name. */
export function FindDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const listId = useId();
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const found = foundIn(usePlaces(), search);
  const chosen = found[Math.min(at, found.length - 1)];
  const open = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    router.history.push(`${router.basepath}${place.href}`);
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
        aria-label="Find a bot, a channel or an action"
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
      {found.length === 0 && (
        <Text size="sm" c="dimmed" role="status" mt="sm">
          Nothing is called “{search.trim()}”.
        </Text>
      )}
    </Modal>
  );
}

function usePlaces(): Place[] {
  const bots = useQuery(queries.bots()).data ?? [];
  const channels = useQuery(queries.channels()).data ?? [];
  return [
    ...bots.map(({ bot }) => ({
      key: bot.id,
      kind: "Bot",
      name: bot.display_name,
      words: [bot.username],
      href: `/bots/${bot.id}`,
    })),
    ...channels.map(({ id, title, slug }) => ({
      key: id,
      kind: "Channel",
      name: title,
      words: [slug],
      href: `/channels/${id}`,
    })),
    ...bots.flatMap(({ bot }) =>
      BOT_PAGES.map(([path, page]) => ({
        key: `${bot.id}-${path}`,
        kind: "Page of a bot",
        name: `${page} of ${bot.display_name}`,
        words: [`${page} ${bot.username}`, `${bot.username} ${page}`, `${bot.display_name} ${page}`],
        href: `/bots/${bot.id}/${path}`,
      })),
    ),
    action("create-bot", "Create a bot", "/?create=bot"),
    action("create-channel", "Create a channel", "/channels?create=channel"),
    action("account", "Export or erase your data", "/account"),
  ];
}

function action(key: string, name: string, href: string): Place {
  return { key, kind: "Action", name, words: [], href };
}

function foundIn(places: readonly Place[], search: string): Place[] {
  const found: Place[] = [];
  for (const place of places) {
    if (found.length === MOST_SHOWN) break;
    if (matches(search, place.name, ...place.words)) found.push(place);
  }
  return found;
}
