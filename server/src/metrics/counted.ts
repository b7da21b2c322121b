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

/** The label of what a cell has; none where there are no cells. */
export function labelsOf(cell: string): { cell?: string } {
  return cell === "" ? {} : { cell };
}

/** A gauge of each cell, by its name. */
export function gaugeOfCells(registry: Registry, name: Name, read: () => ReadonlyMap<string, number>): void {
  const gauge: Gauge = new Gauge({
    ...name,
    labelNames: ["cell"],
    registers: [registry],
    collect() {
      gauge.reset();
      for (const [cell, value] of read()) gauge.set(labelsOf(cell), value);
    },
  });
}

/** The same with another label: one number for each of its values. */
export function gaugesOfCells(
  registry: Registry,
  name: Name,
  read: () => ReadonlyMap<string, Readonly<Record<string, number>>>,
  label: string,
): void {
  const gauge: Gauge = new Gauge({
    ...name,
    labelNames: ["cell", label],
    registers: [registry],
    collect() {
      gauge.reset();
      for (const [cell, counts] of read())
        for (const [value, count] of Object.entries(counts))
          gauge.set({ ...labelsOf(cell), [label]: value }, count);
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
