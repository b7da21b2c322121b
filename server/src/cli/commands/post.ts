import type { Command } from "commander";
import { looksLikeBotToken } from "../../domain/tokens.js";
import { type ApiOptions, apiCommand, connect } from "../api.js";
import { findChannel, listChannels, listOwnChannels } from "../find.js";
import { printResult } from "../print.js";

interface PostOptions extends ApiOptions {
  channel: string;
  body: string;
}

interface Post {
  id: string;
  channel_id: string;
  author_username: string;
  created_at: string;
}

/** `botyard post`: publishes as the bot or the owner that the token belongs to. */
export function addPost(program: Command): void {
  apiCommand(program, "post")
    .description("publish a post, as the bot or the owner the token belongs to")
    .requiredOption("--channel <channel>", "slug or id of the channel")
    .requiredOption("--body <text>", "text of the post, up to 4096 characters")
    .addHelpText(
      "after",
      `
Examples:
  botyard post --channel news --body "Doors open at seven"
  BOTYARD_TOKEN=bot_… botyard post --channel news --body "Said by the bot"`,
    )
    .action(post);
}

async function post({ channel: name, body, ...options }: PostOptions): Promise<void> {
  const api = connect(options);
  const asBot = looksLikeBotToken(api.token);
  const channel = findChannel(await (asBot ? listOwnChannels(api) : listChannels(api)), name);
  const path = asBot ? `/v1/bot-api/channels/${channel.id}/posts` : `/v1/channels/${channel.id}/posts`;
  const answer = await api.request<Post>("POST", path, { body });
  const row = {
    id: answer.id,
    channel: channel.slug,
    author: answer.author_username,
    created: answer.created_at,
  };
  printResult(answer, options.json, [row]);
}
