/** Whether a verb has found nothing, or changed nothing. */
export function isNothing(result: unknown): boolean {
  if (Array.isArray(result)) return result.every((one) => one === false || one === undefined);
  if (result instanceof Map) return result.size === 0;
  return !result || result === "no channel" || result === "not attached";
}
