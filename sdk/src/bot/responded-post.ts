import type { BotClient } from "../client/bot-client.js";
import type { Post, RespondedInteraction } from "../types.js";

/** The post that a response published or edited, when the response was there before: the answer to it has only its id. */
export async function earlierPost(
  api: BotClient,
  channelId: string,
  { response }: RespondedInteraction,
): Promise<Post> {
  const { id = "", revision = 1 } = response.post ?? {};
  return await api.getBotPost(channelId, id).catch((error: { status?: number }) => {
    if (error.status !== 404) throw error;
    // It was deleted meanwhile. It is not published again.
    const { created_at } = response;
    return { id, channel_id: channelId, author_username: "", body: "", deleted: true, revision, created_at };
  });
}
