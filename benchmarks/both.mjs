import { startBusyService } from "./support/busy-service.mjs";
import { median, round, withGoal } from "./support/figures.mjs";
import { measureBareLoop, measureBareRoute } from "./support/limits.mjs";
import { cpuSeconds } from "./support/proc.mjs";
import { findSteadyRate, keepsUp } from "./support/steady-rate.mjs";

export const question =
  "posts a second while each is delivered at once, at the highest rate without a growing backlog";

const ROUNDS_OF_LIMITS = 3;
/** The factor by which a rate is lowered that held for seconds but not for half a minute. */
const STEP_DOWN = 0.92;
const GOAL = { atLeast: 0.5 };

export async function run(engines, { quick }) {
  const routes = [];
  const loops = [];
  const measureLimits = async () => {
    routes.push(await measureBareRoute(quick ? 1 : 2));
    loops.push((await measureBareLoop(quick ? 5_000 : 50_000)).rate);
  };
  for (let i = 1; i < ROUNDS_OF_LIMITS; i++) await measureLimits();
  const found = [];
  for (const engine of engines) {
    found.push(await measureEngine(engine, combinedRate(median(routes), median(loops)), quick));
  }
  await measureLimits();

  const limit = combinedRate(median(routes), median(loops));
  const table = found.map(({ name, rate, cores }) => ({
    engine: name,
    "steady posts and deliveries /s": round(rate, 0),
    "cores of the service": round(cores),
    "bare route /s": round(median(routes), 0),
    "bare loop /s": round(median(loops), 0),
    "rate × (1/route + 1/loop)": round(rate / limit),
  }));
  return {
    table,
    rates: Object.fromEntries(found.map(({ name, rate }) => [name, rate])),
    summary: found.map(
      ({ name, rate, seconds }) =>
        `${name}: held for ${seconds} s; rate × (1/route + 1/loop) = ${withGoal(rate / limit, GOAL)}`,
    ),
  };
}

/** The rate of one core that alternates between the work of the bare route and of the bare loop. */
const combinedRate = (route, loop) => 1 / (1 / route + 1 / loop);

async function measureEngine(engine, limit, quick) {
  const seconds = quick ? 3 : 30;
  const service = await startBusyService(engine);
  try {
    await keepsUp(service, limit / 4, 2);
    let rate = await findSteadyRate(service, limit, quick ? 1 : 3);
    for (;;) {
      const cpuBefore = cpuSeconds(service.pid);
      const startedAt = performance.now();
      const held = await keepsUp(service, rate, seconds);
      const cores = (cpuSeconds(service.pid) - cpuBefore) / ((performance.now() - startedAt) / 1000);
      if (held) return { name: engine.name, rate, cores, seconds };
      rate *= STEP_DOWN;
    }
  } finally {
    await service.stop();
  }
}
