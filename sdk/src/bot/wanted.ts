import { isOfKind } from "./kinds.js";

/** The kinds that handlers are for, and whether they hear only posts that mention the bot. */
export interface Wanted {
  kinds: readonly string[];
  onlyMentions: boolean;
}

/** What one entry of a router asks for. */
export interface Asked {
  /** Undefined when it does not ask for any. */
  kinds?: readonly string[] | undefined;
  needsMention?: boolean | undefined;
}

/** @param asked by each entry of a router, with what the router `within` wants when it is one itself */
export function wantedOf(asked: readonly (Asked & { within: Wanted | undefined })[]): Wanted {
  const all = asked.flatMap(({ kinds = [], needsMention = false, within }) => {
    const wanted = within?.kinds.length ? narrowed(within.kinds, kinds) : kinds;
    return wanted.length > 0 ? { kinds: wanted, onlyMentions: needsMention || within?.onlyMentions } : [];
  });
  const ofPosts = all.filter((one) => one.kinds.some(isAboutPosts));
  return {
    // A bot hears of interactions whatever it subscribes to.
    kinds: [...new Set(all.flatMap((one) => one.kinds))].filter((kind) => !kind.startsWith("interaction.")),
    onlyMentions: ofPosts.length > 0 && ofPosts.every((one) => one.onlyMentions),
  };
}

/**
 * The kinds that an inner router wants, without those that the outer one does not pass on: `bot.onPost().mention()`
 * gets no edits.
 */
function narrowed(within: readonly string[], kinds: readonly string[]): readonly string[] {
  if (kinds.length === 0) return within;
  const pass = within.filter((kind) => kinds.some((one) => isOfKind(kind, one)));
  return [...pass, ...kinds.filter((kind) => within.some((one) => isOfKind(kind, one)))];
}

/** Whether a subscription's choice of posts holds for this kind. */
function isAboutPosts(kind: string): boolean {
  return kind === "*" || kind === "channel.*" || kind.startsWith("channel.post_");
}
