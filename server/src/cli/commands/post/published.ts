import type {
  DeleteStatus,
  EditPostRequest,
  Post,
  PostComponent,
  EditOptions as SdkEditOptions,
} from "@botyard/sdk";
import type { Command } from "commander";
import { looksLikeBotToken } from "../../../domain/bots/tokens.js";
import {
  type ClientCommandOptions,
  clientCommand,
  createBotClient,
  createOwnerClient,
  credentialsOf,
} from "../../client.js";
import { UsageError } from "../../errors.js";
import { type ConfirmOptions, confirm, confirmedCommand } from "../../input/confirm.js";
import { findChannel } from "../../input/find.js";
import { componentsOf, mediaOf } from "../../input/json.js";
import { integerOf, textOf } from "../../input/values.js";
import { printRecord, printResult } from "../../output/print.js";

/** `botyard post show`, `edit` and `delete`: an owner for any post of their channels, a bot for its own. */
export function addPublishedPosts(post: Command): void {
  clientCommand(post, "show <channel> <post>")
    .description("show a post in its newest revision")
    .addHelpText("after", "\nExample:\n  botyard post show news 01a20267-139f-7000-8000-5e0a1c2b3d4e")
    .action(show);

  clientCommand(post, "edit <channel> <post>")
    .description("change a post; updates that were recorded before keep the text they had")
    .option("--body <text>", "the new text; - reads it from stdin")
    .option("--media <json>", "the new objects, as a JSON array; [] removes them")
    .option("--components <json>", "the new rows of buttons and selects, as a JSON array; [] removes them")
    .option("--if-revision <number>", "only if this is the newest revision")
    .option("--idempotency-key <key>", "change nothing when a call with this key has changed it already")
    .addHelpText(
      "after",
      '\nExample:\n  botyard post edit news 01a20267-139f-7000-8000-5e0a1c2b3d4e --body "Doors open at eight"',
    )
    .action(edit);

  confirmedCommand(clientCommand(post, "delete <channel> <post>"))
    .description("erase a post: in its channel, in recorded updates, and in every later delivery")
    .option("--idempotency-key <key>", "succeed also when a call with this key has erased it already")
    .addHelpText("after", "\nExample:\n  botyard post delete news 01a20267-139f-7000-8000-5e0a1c2b3d4e --yes")
    .action(remove);
}

interface EditOptions extends ClientCommandOptions {
  body?: string;
  media?: string;
  components?: string;
  ifRevision?: string;
  idempotencyKey?: string;
}

async function show(channel: string, postId: string, options: ClientCommandOptions): Promise<void> {
  const post = await openPost(channel, postId, options);
  print(await post.get(), options);
}

async function edit(channel: string, postId: string, options: EditOptions): Promise<void> {
  const { body, media, components, ifRevision, idempotencyKey } = options;
  if (body === undefined && media === undefined && components === undefined)
    throw new UsageError("say what to change: --body, --media or --components");
  const revision = ifRevision === undefined ? undefined : integerOf("--if-revision", ifRevision, 1);
  const changes = {
    ...(media === undefined ? {} : { media: mediaOf(media) }),
    ...(components === undefined
      ? {}
      : { components: componentsOf(components) as unknown as PostComponent[][] }),
    ...(body === undefined ? {} : { body: await textOf(body) }),
  };
  const post = await openPost(channel, postId, options);
  print(await post.edit(changes, { ifRevision: revision, idempotencyKey }), options);
}

async function remove(
  channel: string,
  postId: string,
  options: ClientCommandOptions & ConfirmOptions & { idempotencyKey?: string },
): Promise<void> {
  const post = await openPost(channel, postId, options);
  await confirm(`erase the post ${postId}`, options);
  const answer = await post.delete({ idempotencyKey: options.idempotencyKey });
  printResult(answer, options.json, [{ id: postId, status: answer.status }]);
}

/** A post, as the caller may read and change it. */
interface OpenPost {
  get(): Promise<Post>;
  edit(changes: EditPostRequest, how: SdkEditOptions): Promise<Post>;
  delete(how: Pick<SdkEditOptions, "idempotencyKey">): Promise<DeleteStatus>;
}

async function openPost(name: string, postId: string, options: ClientCommandOptions): Promise<OpenPost> {
  if (postId.trim() === "") throw new UsageError("the id of the post is empty: is its variable set?");
  const credentials = credentialsOf(options);
  if (looksLikeBotToken(credentials.token)) {
    const bot = await createBotClient(credentials);
    const { id } = await findChannel(bot, name);
    return {
      get: () => bot.getBotPost(id, postId),
      edit: (changes, how) => bot.editBotPost(id, postId, changes, how),
      delete: (how) => bot.deleteBotPost(id, postId, how),
    };
  }
  const owner = await createOwnerClient(credentials);
  const { id } = await findChannel(owner, name);
  return {
    get: () => owner.getChannelPost(id, postId),
    edit: (changes, how) => owner.editChannelPost(id, postId, changes, how),
    delete: (how) => owner.deleteChannelPost(id, postId, how),
  };
}

function print(post: Post, { json }: ClientCommandOptions): void {
  printRecord(post, json, {
    id: post.id,
    author: post.author_username,
    revision: post.revision,
    created: post.created_at,
    edited: post.edited_at ?? "never",
    media: post.media ? JSON.stringify(post.media) : "none",
    components: post.components ? JSON.stringify(post.components) : "none",
    body: post.body,
  });
}
