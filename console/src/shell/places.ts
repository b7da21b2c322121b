import type { BotOverview, Channel } from "@botyard/sdk";

/** Something to find by its name: where it leads, or what it does. */
export interface Place {
  key: string;
  kind: "Bot" | "Channel" | "Page" | "Action";
  name: string;
  /** Further words to find it by. */
  words?: string;
  /** Below `/console`. */
  href?: string;
  act?: () => void;
}

const PAGES = [
  page("Bots", "/"),
  page("Channels", "/channels"),
  page("Your data", "/account", "account export download erase delete"),
];

const CREATING = [
  action("Create a bot", { href: "/?create=bot", words: "new" }),
  action("Create a channel", { href: "/channels?create=channel", words: "new" }),
];

const BOT_PAGES = [
  ["", "Overview"],
  ["/updates", "Updates"],
  ["/errors", "Errors"],
  ["/live", "Live"],
  ["/channels", "Channels"],
  ["/webhook", "Webhook"],
  ["/settings", "Settings"],
] as const;

/** Each leads to the page of the bot where it is done. */
const BOT_ACTIONS = [
  ["/errors", "Replay what failed", "errors"],
  ["/webhook", "Pause or resume", "webhook"],
  ["/webhook#test", "Send a test event", "webhook"],
  ["/channels", "Attach to a channel", "detach"],
  ["/settings", "Rotate the token", "new"],
  ["/settings", "Disable, enable or delete", ""],
] as const;

interface Known {
  bots: readonly BotOverview[];
  channels: readonly Channel[];
  /** What the shell does. */
  actions: readonly Place[];
  /** The bot whose page is open: its pages and actions come first. */
  openBotId: string | undefined;
}

/** Everything that can be found, the most relevant first. */
export function placesOf({ bots, channels, actions, openBotId }: Known): Place[] {
  const open = bots.filter(({ bot }) => bot.id === openBotId);
  const others = bots.filter(({ bot }) => bot.id !== openBotId);
  return [
    ...open.flatMap(partsOfBot),
    ...bots.map(placeOfBot),
    ...channels.map(({ id, title, slug }) => ({
      key: id,
      kind: "Channel" as const,
      name: title,
      words: slug,
      href: `/channels/${id}`,
    })),
    ...PAGES,
    ...CREATING,
    ...actions,
    ...others.flatMap(partsOfBot),
  ];
}

/** Places that contain every word, in any order: exact names first, then names that begin with the text. */
export function foundIn(places: readonly Place[], search: string, atMost: number): Place[] {
  const wanted = search.trim().toLowerCase();
  // Names are shown with these prefixes.
  const parts = wanted.split(/\s+/).map((part) => part.replace(/^[@#]/, ""));
  const ranked: [Place[], Place[], Place[]] = [[], [], []];
  for (const place of places) {
    const name = place.name.toLowerCase();
    const text = `${name} ${place.words?.toLowerCase()}`;
    if (!parts.every((part) => text.includes(part))) continue;
    ranked[name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2].push(place);
  }
  return ranked.flat().slice(0, atMost);
}

export function action(name: string, rest: Pick<Place, "words" | "href" | "act">): Place {
  return { key: name, kind: "Action", name, ...rest };
}

function page(name: string, href: string, words = ""): Place {
  return { key: href, kind: "Page", name, words, href };
}

function placeOfBot({ bot }: BotOverview): Place {
  return {
    key: bot.id,
    kind: "Bot",
    name: bot.display_name,
    words: bot.username,
    href: `/bots/${bot.id}`,
  };
}

function partsOfBot({ bot }: BotOverview): Place[] {
  return [
    ...BOT_PAGES.map(([path, page]) => ({
      key: `${bot.id}-${page}`,
      kind: "Page" as const,
      name: `${page} of ${bot.display_name}`,
      words: bot.username,
      href: `/bots/${bot.id}${path}`,
    })),
    ...BOT_ACTIONS.map(([path, name, words]) => ({
      key: `${bot.id}-${name}`,
      kind: "Action" as const,
      name: `${name}: ${bot.display_name}`,
      words: `${words} ${bot.username}`,
      href: `/bots/${bot.id}${path}`,
    })),
  ];
}
