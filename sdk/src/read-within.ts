/**
 * Reads a body to its end, but at most `limitBytes` of it: it may never end.
 *
 * @returns undefined when it is longer
 */
export async function readWithin(
  body: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    bytes += read.value.length;
    if (bytes > limitBytes) {
      reader?.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(read.value);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
