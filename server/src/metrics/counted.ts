import { Counter, Gauge, type Registry } from "prom-client";

/** The name and the help text of a metric. */
export interface Name {
  name: string;
  help: string;
}

/** A counter whose value is kept elsewhere and read at each scrape. */
export function counterOf(registry: Registry, name: Name, read: () => number): void {
  const counter = new Counter({
    ...name,
    registers: [registry],
    collect() {
      counter.reset();
      counter.inc(read());
    },
  });
}

/** The same with a label: one number for each of its values. */
export function countersOf(
  registry: Registry,
  name: Name,
  label: string,
  read: () => Readonly<Record<string, number>>,
): void {
  const counter = new Counter({
    ...name,
    labelNames: [label],
    registers: [registry],
    collect() {
      counter.reset();
      for (const [value, count] of Object.entries(read())) counter.inc({ [label]: value }, count);
    },
  });
}

/** Gauges with a label: one number for each of its values; absent while they are not known. */
export function gaugesOf(
  registry: Registry,
  name: Name,
  label: string,
  read: () => Readonly<Record<string, number>> | undefined,
): void {
  const gauge = new Gauge({
    ...name,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [value, count] of Object.entries(read() ?? {})) gauge.set({ [label]: value }, count);
    },
  });
}

/** A gauge that is read at each scrape; it is absent while its value is not known. */
export function gaugeOf(registry: Registry, name: Name, read: () => number | undefined): void {
  const gauge = new Gauge({
    ...name,
    registers: [registry],
    collect() {
      const value = read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}
