/**
 * The first bot with this username (in any case) or id.
 *
 * @returns undefined when there is none
 */
export function botNamed<Bot extends { id: string; username: string }>(
  bots: AsyncIterable<Bot>,
  usernameOrId: string,
): Promise<Bot | undefined> {
  const wanted = usernameOrId.toLowerCase();
  return first(bots, ({ id, username }) => id === wanted || username.toLowerCase() === wanted);
}

/**
 * The first channel with this slug or id.
 *
 * @returns undefined when there is none
 */
export function channelNamed<Channel extends { id: string; slug: string }>(
  channels: AsyncIterable<Channel>,
  slugOrId: string,
): Promise<Channel | undefined> {
  const wantedId = slugOrId.toLowerCase();
  return first(channels, ({ id, slug }) => id === wantedId || slug === slugOrId);
}

/** Stops at the item, so that no further page is read. */
async function first<Item>(
  items: AsyncIterable<Item>,
  matches: (item: Item) => boolean,
): Promise<Item | undefined> {
  for await (const item of items) if (matches(item)) return item;
  return undefined;
}
