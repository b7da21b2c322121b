/**
 * Whether a client has the current answer already. Also matches weak ETags: a proxy that compresses an answer makes its ETag
 * weak.
 */
export function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? "").split(",").some((part) => ["*", etag, `W/${etag}`].includes(part.trim()));
}
