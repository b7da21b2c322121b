import type { BotClient, ClientOptions, OwnerClient, PlatformClient } from "@botyard/sdk";
import { type Command, type CommandOptions, Option } from "commander";
import { loadClientSettings } from "../config.js";
import { looksLikeBotToken } from "../domain/bots/tokens.js";
import { UsageError } from "./errors.js";

/** The options of every command that talks to a running service. */
export interface ClientCommandOptions {
  url?: string;
  token?: string;
  owner?: string;
  json?: boolean;
}

/** The service's URL, and the credential. */
export interface Credentials {
  url: string;
  token: string;
  /** With the platform's token: the owner to act as. */
  owner: string | undefined;
}

/** Adds a sub-command that talks to a running service as one owner or bot. */
export function clientCommand(parent: Command, nameAndArguments: string, settings?: CommandOptions): Command {
  return serviceCommand(parent, nameAndArguments, settings).addOption(
    new Option("--owner <user>", "with the platform's token: whom to act as (else BOTYARD_OWNER)"),
  );
}

/** Adds a sub-command that talks to a running service. */
export function serviceCommand(
  parent: Command,
  nameAndArguments: string,
  settings?: CommandOptions,
): Command {
  return parent
    .command(nameAndArguments, settings)
    .addOption(
      new Option("--url <url>", "address of the service (else BOTYARD_URL, else http://127.0.0.1:8080)"),
    )
    .addOption(
      new Option(
        "--token <token>",
        "token of an owner, a bot or the platform (better BOTYARD_TOKEN: options show in `ps`)",
      ),
    )
    .addOption(new Option("--json", "print the answer as JSON"));
}

/** @throws UsageError without a token or with a URL that is not a service's */
export function credentialsOf(options: ClientCommandOptions): Credentials {
  const settings = loadClientSettings();
  const url = serviceUrl(options.url ?? settings.url);
  const token = options.token ?? settings.token;
  if (token) return { url, token, owner: options.owner ?? settings.owner };
  throw new UsageError("no token: run export BOTYARD_TOKEN=$(npx botyard owner-token --user alice) first");
}

/**
 * The URL of a service, without slashes at its end.
 *
 * @throws UsageError when it is not an HTTP URL
 */
export function serviceUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(`"${text}" is not the address of a service, such as http://127.0.0.1:8080`);
  }
  return text.replace(/\/+$/, "");
}

/*
 * The SDK is loaded when a command needs it, because the other commands start faster without it.
 */

/** @throws UsageError when the credentials cannot be right */
export async function createOwnerClient(
  { url, token, owner }: Credentials,
  options: Partial<ClientOptions> = WITHOUT_RETRIES,
): Promise<OwnerClient> {
  const { OwnerClient } = await import("@botyard/sdk");
  return checked(() => new OwnerClient(token, { url, owner, ...options }));
}

/**
 * The client of the owner that the options or the environment name.
 *
 * @throws UsageError when the credentials cannot be an owner's
 */
export async function ownerOf(
  options: ClientCommandOptions,
  settings?: Partial<ClientOptions>,
): Promise<OwnerClient> {
  const credentials = credentialsOf(options);
  if (looksLikeBotToken(credentials.token))
    throw new UsageError(
      "this needs the token of an owner, and this is a bot's: botyard owner-token makes one",
    );
  return await createOwnerClient(credentials, settings);
}

/** @throws UsageError when the credentials cannot be right */
export async function createBotClient({ url, token }: Credentials): Promise<BotClient> {
  const { BotClient } = await import("@botyard/sdk");
  return checked(() => new BotClient(token, { url, ...WITHOUT_RETRIES }));
}

/** The client of the platform, whose token the options or the environment have. */
export async function platformOf(options: ClientCommandOptions): Promise<PlatformClient> {
  const { url, token } = credentialsOf(options);
  const { PlatformClient } = await import("@botyard/sdk");
  return checked(() => new PlatformClient(token, { url, ...WITHOUT_RETRIES }));
}

/** A failure is reported at once; the user can repeat the command. */
const WITHOUT_RETRIES = { retries: 0 } satisfies Partial<ClientOptions>;

/** Runs a constructor of the SDK, which throws a TypeError when the token or the URL cannot be right. */
export function checked<Made>(construct: () => Made): Made {
  try {
    return construct();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
