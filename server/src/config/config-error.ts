/** A setting that cannot be used. The message is one line: which, what is wrong with it, what would be right. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
