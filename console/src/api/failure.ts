import { AnswerError, NetworkError, ServiceError } from "@botyard/sdk";

/** What went wrong, for a person. */
export interface Failure {
  title: string;
  /** What happened in detail, and what helps. */
  message: string;
  /** Whether the same thing may work in a moment. */
  isPassing: boolean;
}

/** The one place where the kinds of failures become words. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ServiceError) return describeRefusal(error);
  if (error instanceof NetworkError) {
    return {
      title: "The service does not answer",
      message: "Is it running, and is this device online? The page asks again by itself.",
      isPassing: true,
    };
  }
  if (error instanceof AnswerError) {
    return {
      title: "Something else answered",
      message: `Something between this page and the service answered in its place, with status ${error.status}. If it lasts, ask whoever runs the service.`,
      isPassing: error.isPassing,
    };
  }
  return {
    title: "This page made a mistake",
    message: `${error instanceof Error ? error.message : String(error)}. Reload it; if it happens again, please report it.`,
    isPassing: false,
  };
}

function describeRefusal({ status, reason, retryAfterMs }: ServiceError): Failure {
  switch (status) {
    case 400:
      return { title: "That cannot be done", message: sentence(reason), isPassing: false };
    case 401:
      return { title: "You are signed out", message: sentence(reason), isPassing: false };
    case 403:
      return { title: "That is not allowed", message: sentence(reason), isPassing: false };
    case 404:
      return {
        title: "It is not there",
        message: "It was deleted, the address is wrong, or it belongs to another owner.",
        isPassing: false,
      };
    case 429:
      return {
        title: "Too many requests",
        message: `${sentence(reason)} Try again ${retryAfterMs ? `in ${Math.ceil(retryAfterMs / 1000)} s` : "in a moment"}.`,
        isPassing: true,
      };
    default:
      return {
        title: "The service has a problem",
        message: `${sentence(reason)} Its log says more.`,
        isPassing: true,
      };
  }
}

/**
 * The field of a form that a refusal is about, with what is said of it: the service begins such a message with the
 * name of the field.
 */
export function refusedField<Field extends string>(
  error: unknown,
  fields: readonly Field[],
): { field: Field; message: string } | undefined {
  if (!(error instanceof ServiceError) || error.status !== 400) return undefined;
  const { reason } = error;
  const field = fields.find((name) => reason === name || reason.startsWith(`${name} `));
  return field && { field, message: sentence(reason.slice(field.length + 1)) };
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 401;
}

function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
