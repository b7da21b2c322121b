import { AnswerError, NetworkError, ServiceError } from "@botyard/sdk";

/** A failure in words for people. */
export interface Failure {
  title: string;
  /** The details, and what to do. */
  message: string;
  /** Whether a retry may succeed soon. */
  isPassing: boolean;
}

/** A change, a read, or a read that is repeated automatically. */
export type Failed = "action" | "read" | "repeated read";

const WHAT_THEN = {
  read: "Try again when it is back.",
  "repeated read": "The page tries again by itself.",
};

/**
 * Translates every kind of failure.
 *
 * @param of what has failed
 */
export function describeFailure(error: unknown, of: Failed = "action"): Failure {
  if (error instanceof ServiceError) return describeRefusal(error);
  if (error instanceof NetworkError) {
    return {
      title: "The service does not answer",
      message: `Is it running, and is this device online? ${of === "action" ? doubtOf(error) : WHAT_THEN[of]}`,
      isPassing: true,
    };
  }
  if (error instanceof AnswerError) {
    return {
      title: "Unexpected answer",
      message: `A proxy between this page and the service answered with status ${error.status}. If this continues, ask the operator of the service.`,
      isPassing: error.isPassing,
    };
  }
  return {
    title: "Unexpected error",
    message: `${error instanceof Error ? error.message : String(error)}. Reload the page; if it happens again, please report it.`,
    isPassing: false,
  };
}

function describeRefusal({ status, code, reason, retryAfterMs }: ServiceError): Failure {
  if (code === "owner_suspended")
    return { title: "Your account is suspended", message: sentence(reason), isPassing: false };
  switch (status) {
    case 400:
      return { title: "Request refused", message: sentence(reason), isPassing: false };
    case 401:
      return { title: "You are signed out", message: sentence(reason), isPassing: false };
    case 403:
      return { title: "Not allowed", message: sentence(reason), isPassing: false };
    case 404:
      return {
        title: "Not found",
        message: "It was deleted, the URL is wrong, or it belongs to another owner.",
        isPassing: false,
      };
    case 429:
      return {
        title: "Too many requests",
        // Some messages of the service already say so.
        message: /try again/i.test(reason)
          ? sentence(reason)
          : `${sentence(reason)} ${whenToTry(retryAfterMs)}`,
        isPassing: true,
      };
    default:
      return {
        title: "Service error",
        message: `${sentence(reason)} The log of the service has details.`,
        isPassing: true,
      };
  }
}

/** Whether an action without an answer may have been carried out. */
function doubtOf({ mayHaveArrived }: NetworkError): string {
  return mayHaveArrived
    ? "It may have been done all the same: look, then try again."
    : "Nothing was changed. Try again when it is back.";
}

function whenToTry(retryAfterMs: number | undefined): string {
  return retryAfterMs ? `Try again in ${Math.ceil(retryAfterMs / 1000)} s.` : "Try again in a moment.";
}

/** The fields that some refusals are about. */
const FIELD_OF_CODE: Readonly<Record<string, string>> = {
  username_taken: "username",
  slug_taken: "slug",
  external_id_taken: "external_id",
  invalid_url: "url",
  address_not_allowed: "url",
  host_not_allowed: "url",
};

/**
 * The form field that a refusal is about, and the message. Most refusals of a field share one code; then the message
 * begins with the field's name.
 */
export function refusedField<Field extends string>(
  error: unknown,
  fields: readonly Field[],
): { field: Field; message: string } | undefined {
  if (!(error instanceof ServiceError) || error.status !== 400) return undefined;
  const { reason, code = "" } = error;
  const field =
    fields.find((name) => name === FIELD_OF_CODE[code]) ??
    fields.find((name) => reason === name || reason.startsWith(`${name} `));
  if (!field) return undefined;
  const message = reason.startsWith(`${field} `) ? reason.slice(field.length + 1) : reason;
  return { field, message: sentence(message) };
}

/** It was deleted, here or elsewhere. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404;
}

export function isSignedOut(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 401) return false;
  // Valid tokens are refused too: while the service cannot fetch the keys, and while the owner is suspended.
  return error.code !== "keys_unavailable" && error.code !== "owner_suspended";
}

function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
