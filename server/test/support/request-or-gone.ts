/** The service was killed, so the result of the request is unknown. */
export class Gone extends Error {}

/**
 * Sends a request to a service that may be killed meanwhile.
 *
 * @throws Gone when it was
 */
export async function request(
  url: string,
  method: string,
  path: string,
  body: object | undefined,
  token: string,
): Promise<{ status: number; ok: boolean; body: unknown }> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, ok: response.ok, body: await response.json() };
  } catch (error) {
    // A refused or broken connection leaves the result of the request unknown.
    if (error instanceof TypeError || error instanceof SyntaxError)
      throw new Gone("the service is gone", { cause: error });
    throw error;
  }
}
