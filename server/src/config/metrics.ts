import { ConfigError } from "./config-error.js";
import type { Environment } from "./schema.js";

/** How `/metrics` is reached. */
export interface MetricsSettings {
  /** Undefined: whoever reaches the address may read. Never to be shown or logged. */
  readonly token: string | undefined;
  /** An address of its own; undefined: beside everything else. A port of 0 lets the system choose. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
}

const LOOPBACK = "127.0.0.1";

/** @returns undefined when there are to be no metrics */
export function metricsSettings(environment: Environment): MetricsSettings | undefined {
  const { METRICS_TOKEN: token, METRICS_PORT: port, METRICS_HOST: host } = environment;
  if (port === undefined && host !== undefined) {
    throw new ConfigError(
      "METRICS_HOST needs METRICS_PORT: without it, metrics have no address of their own",
    );
  }
  if (port === undefined && token === undefined) return undefined;
  const address = port === undefined ? undefined : Object.freeze({ host: host ?? LOOPBACK, port });
  return Object.freeze({ token, address });
}
