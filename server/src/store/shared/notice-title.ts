/** What a bot is told of its channel, with the title that the channel has now; a payload that has none stays as it is. */
export function withTitle(payload: string, title: string): string {
  const told = JSON.parse(payload) as { channel?: { title?: string } };
  if (told.channel?.title === undefined || told.channel.title === title) return payload;
  return JSON.stringify({ ...told, channel: { ...told.channel, title } });
}
