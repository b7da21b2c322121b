import { type Command, Option } from "commander";
import { loadClientSettings } from "../config.js";
import { NotReachable, Refused, UsageError } from "./errors.js";

/** The options that every command has which speaks to the service. */
export interface ApiOptions {
  url?: string;
  token?: string;
  json?: boolean;
}

/** A running service and the credential shown to it. */
export interface Api {
  readonly token: string;
  /**
   * Sends one request.
   *
   * @param path from the root of the service, already escaped
   * @returns the parsed JSON answer
   * @throws Refused when the service answers with an error, NotReachable when nobody answers
   */
  request<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer>;
}

const TIMEOUT_MS = 30_000;

/** A sub-command that speaks to the service. */
export function apiCommand(parent: Command, nameAndArguments: string): Command {
  return parent
    .command(nameAndArguments)
    .addOption(
      new Option("--url <url>", "address of the service (else BOTYARD_URL, else http://127.0.0.1:8080)"),
    )
    .addOption(
      new Option("--token <token>", "owner or bot token (better BOTYARD_TOKEN: options show in `ps`)"),
    )
    .addOption(new Option("--json", "print the answer as JSON"));
}

/** Where the service is, and who asks. */
export interface Credentials {
  url: string;
  token: string;
}

/** @throws UsageError without a token or with an address that is none */
export function credentialsOf(options: ApiOptions): Credentials {
  const settings = loadClientSettings();
  const url = baseUrl(options.url ?? settings.url);
  const token = options.token ?? settings.token;
  if (!token) {
    throw new UsageError("no token: run export BOTYARD_TOKEN=$(npx botyard owner-token --user alice) first");
  }
  if (!/^[!-~]+$/.test(token)) throw new UsageError("the token has blanks or characters that no token has");
  return { url, token };
}

/** @throws UsageError without a token or with an address that is none */
export function connect(options: ApiOptions): Api {
  const { url: base, token } = credentialsOf(options);
  return {
    token,
    async request(method, path, body) {
      const response = await send(new URL(`${base}${path}`), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return readAnswer(response);
    },
  };
}

/**
 * The address of a service, without slashes at its end.
 *
 * @throws UsageError when it is none
 */
export function baseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(`"${text}" is not the address of a service, such as http://127.0.0.1:8080`);
  }
  return text.replace(/\/+$/, "");
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? message;
    throw new NotReachable(
      `no answer from ${url.origin} (${reason}): is the service running, is BOTYARD_URL right?`,
    );
  }
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  const answer = parsed(text);
  if (answer === undefined) {
    throw new Refused(`${response.url} answered ${response.status} without JSON: is that a Botyard service?`);
  }
  if (!response.ok) {
    const { error } = answer as { error?: unknown };
    throw new Refused(`the service said ${response.status}: ${typeof error === "string" ? error : text}`);
  }
  return answer as Answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
