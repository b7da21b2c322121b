import { Counter, Gauge, type Registry } from "prom-client";

/** What a metric is called, and what it says. */
export interface Name {
  name: string;
  help: string;
}

/** A counter whose number is kept elsewhere and read when the metrics are. */
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

/** The same with one label, for each of whose values there is a number. */
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

/** A gauge that is read when the metrics are; it has no value while it is not known. */
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
