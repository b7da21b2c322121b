/**
 * An address that signs whoever opens it in to the console. Browsers keep what stands behind the `#` to themselves, so
 * the token reaches no server and no log.
 *
 * @param url address of the service, without a slash at its end
 */
export function consoleLink(url: string, ownerToken: string): string {
  return `${url}/console#token=${ownerToken}`;
}
