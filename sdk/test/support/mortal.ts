/** Where a bot dies: at its request number `request`, before it is sent, or when the service has carried it out. */
export interface Death {
  request: number;
  when: "before" | "after";
}

/** A process as the service sees it: what it asks, until it is dead. Whoever waits for an answer then, waits for ever. */
export function mortal(death: Death | undefined) {
  let requests = 0;
  let died = () => {};
  const dead = new Promise<void>((resolve) => {
    died = resolve;
  });
  let isDead = false;
  const forEver = () => new Promise<never>(() => {});
  const die = () => {
    isDead = true;
    died();
    return forEver();
  };
  const send: typeof fetch = async (input, init) => {
    if (isDead) return await forEver();
    requests += 1;
    const isLast = requests === death?.request;
    if (isLast && death.when === "before") return await die();
    const response = await fetch(input, init);
    // Read here, so that no answer is left open.
    const body = await response.arrayBuffer();
    if (isLast || isDead) return await die();
    return new Response(response.status === 204 ? null : body, response);
  };
  return { send, dead };
}
