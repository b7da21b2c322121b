import { ConfigError } from "./config-error.js";
import type { Environment } from "./schema.js";
import { platformTokens } from "./values.js";

/** How `/metrics` is reached. */
export interface MetricsSettings {
  /** Undefined when no token is needed. Never to be shown or logged. */
  readonly token: string | undefined;
  /** The address of a separate server; undefined when `/metrics` is on the main one. With port 0 the system chooses. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
}

const LOOPBACK = "127.0.0.1";

/**
 * @returns undefined when `/metrics` is off
 * @throws ConfigError when they cannot be reached as it says, or with a token that is meant for more
 */
export function metricsSettings(environment: Environment): MetricsSettings | undefined {
  const { METRICS_TOKEN: token, METRICS_PORT: port, METRICS_HOST: host } = environment;
  if (port === undefined && host !== undefined) {
    throw new ConfigError(
      "METRICS_HOST needs METRICS_PORT: without it, metrics have no address of their own",
    );
  }
  if (token !== undefined && platformTokens(environment.PLATFORM_TOKEN).includes(token)) {
    throw new ConfigError(
      "METRICS_TOKEN is a token of PLATFORM_TOKEN: whatever reads the metrics could then act as every owner. Set another one",
    );
  }
  if (port === undefined && token === undefined) return undefined;
  const address = port === undefined ? undefined : Object.freeze({ host: host ?? LOOPBACK, port });
  return Object.freeze({ token, address });
}
