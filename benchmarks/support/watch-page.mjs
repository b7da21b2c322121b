/** Makes a browser page, before it is opened, record the delays that people would notice, as browsers measure them. */
export async function watchPage(page) {
  await page.addInitScript(() => {
    const seen = { interactions: new Map(), tasksMs: [], framesMs: [] };
    globalThis.seen = seen;
    // From the key or the button to the next paint, in steps of 8 ms; several events are one interaction.
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId === 0) continue;
        seen.interactions.set(interactionId, Math.max(duration, seen.interactions.get(interactionId) ?? 0));
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
    // Tasks shorter than 50 ms are not reported.
    new PerformanceObserver((list) =>
      seen.tasksMs.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: "longtask",
    });
    let lastFrameAt;
    const frame = (at) => {
      if (lastFrameAt !== undefined) seen.framesMs.push(at - lastFrameAt);
      lastFrameAt = at;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** The measurements since the last call: milliseconds of each interaction, each long task and between frames. */
export async function takeMeasurements(page) {
  return await page.evaluate(async () => {
    // The last paint is reported a little later.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { seen } = globalThis;
    const taken = {
      interactionsMs: [...seen.interactions.values()],
      tasksMs: seen.tasksMs,
      framesMs: seen.framesMs,
    };
    Object.assign(seen, { interactions: new Map(), tasksMs: [], framesMs: [] });
    return taken;
  });
}
