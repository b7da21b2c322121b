/** Whether a client accepts an encoding, by its `Accept-Encoding`. */
export function accepts(accepted: string | undefined, encoding: string): boolean {
  return (accepted ?? "")
    .split(",")
    .map((part) => part.replaceAll(/\s/g, ""))
    .some((part) => part === encoding || (part.startsWith(`${encoding};`) && !/;q=0(\.0*)?$/.test(part)));
}
