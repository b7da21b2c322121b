/** Lets a page of a browser, one that has not been opened yet, count what people would feel, as browsers measure it. */
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
    // Tasks of less than 50 ms are not told.
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

/** What was counted since the last time: milliseconds of each interaction, each long task and between the frames. */
export async function takeSeen(page) {
  return await page.evaluate(async () => {
    // What was painted last is told a little later.
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
