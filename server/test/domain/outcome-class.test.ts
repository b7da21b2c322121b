import { describe, expect, it } from "vitest";
import { errorText, statusText, timeoutText } from "#botyard/delivery/sending/failure-text.js";
import { failureClass, OUTCOME_CLASSES } from "#botyard/domain/delivery/outcome-class.js";

const failed = (code: string, message = ""): string =>
  errorText(Object.assign(new Error(message), { code }), 1000);

describe("the class of a failed attempt", () => {
  it.each([
    [statusText(307), "redirect"],
    [statusText(404), "client_error"],
    [statusText(502, "timed out"), "server_error"],
    [statusText(599), "server_error"],
    [timeoutText(1000), "timeout"],
    [failed("ETIMEDOUT"), "timeout"],
    [failed("ADDRESS_NOT_ALLOWED"), "not_allowed"],
    [failed("HOST_NOT_ALLOWED"), "not_allowed"],
    [failed("PROXY_UNREACHABLE"), "proxy"],
    [failed("UND_ERR_ABORTED", "Proxy response (403) !== 200"), "proxy"],
    [failed("ENOTFOUND"), "host_not_found"],
    [failed("EAI_AGAIN"), "host_not_found"],
    [failed("ECONNREFUSED"), "unreachable"],
    [failed("ECONNRESET"), "unreachable"],
    [failed("EHOSTUNREACH"), "unreachable"],
    [failed("ENETUNREACH"), "unreachable"],
    [failed("CERT_HAS_EXPIRED"), "tls"],
    [failed("DEPTH_ZERO_SELF_SIGNED_CERT"), "tls"],
    [failed("EPROTO"), "tls"],
    [failed("HPE_INVALID_CONSTANT"), "bad_answer"],
    [failed("UND_ERR_HEADERS_OVERFLOW"), "bad_answer"],
    [failed("UND_ERR_SOCKET"), "bad_answer"],
    [failed("UND_ERR_RES_CONTENT_LENGTH_MISMATCH"), "bad_answer"],
    [failed("UND_ERR_RES_EXCEEDED_MAX_SIZE"), "bad_answer"],
    [failed("ANSWER_TOO_LARGE"), "bad_answer"],
    ["webhook secret cannot be decrypted", "unreadable"],
    ["webhook URL cannot be read", "unreadable"],
    [failed("ESOMETHING"), "other"],
  ])("of %j is %s", (words, expected) => {
    expect(failureClass(words)).toBe(expected);
    expect(OUTCOME_CLASSES).toContain(expected);
  });
});
