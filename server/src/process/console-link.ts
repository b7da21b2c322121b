/**
 * A URL that signs whoever opens it in to the console. Browsers don't send the fragment (`#…`), so the token reaches no server
 * and no log.
 *
 * @param url URL of the service, without a slash at its end
 */
export function consoleLink(url: string, ownerToken: string): string {
  return `${url}/console#token=${ownerToken}`;
}
