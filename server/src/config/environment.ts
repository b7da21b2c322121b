import { Errors } from "typebox/schema";
import { ConfigError } from "./config-error.js";
import { refuseMisspelt } from "./misspelt.js";
import {
  type Environment,
  environmentSchema,
  type VariableName,
  type VariableRule,
  variableRules,
} from "./schema.js";
import { readSecretFile } from "./secret-file.js";

/** Environment variables as a process has them. */
export type Variables = Record<string, string | undefined>;

/**
 * The service's variables, checked and in their types, with defaults. An empty variable counts as one that is not set.
 *
 * @throws ConfigError for the first variable that cannot be used, or is a misspelt one
 */
export function readEnvironment(env: Variables): Environment {
  refuseMisspelt(env, settingNames());
  const given = withFilesRead(env);
  const environment = { ...defaults(), ...typed(given) };
  const [areValid, [first]] = Errors(environmentSchema, environment);
  if (areValid) return environment as Environment;
  const name = first?.instancePath.slice(1) as VariableName;
  throw unusable(name, given[name]);
}

/**
 * The error for a variable whose value is not what its rule expects.
 *
 * @param text the value, which the message repeats unless it is a secret
 */
export function unusable(name: VariableName, text: string | undefined): ConfigError {
  const rule = variableRules[name];
  const shown = rule.secret || text === undefined ? "" : `, not ${JSON.stringify(text)}`;
  return new ConfigError(`${name} must be ${rule.expects}${shown}`);
}

/** The names of all settings, with `NAME_FILE` where that may be given instead. */
function settingNames(): string[] {
  return rules().flatMap(([name, rule]) => (rule.secret ? [name, `${name}_FILE`] : [name]));
}

/** Warnings about variables that begin like ours and are none. */
export function unknownSettings(env: Variables): string[] {
  const known = settingNames();
  return Object.keys(env)
    .filter(
      (name) =>
        /^(DATABASE_|WEBHOOK|OWNER_JW|RATE_LIMIT|RETENTION|SECRET_KEY|PLATFORM|MAX_|TRUST|METRICS|BOT_)/.test(
          name,
        ) && !known.includes(name),
    )
    .map((name) => {
      const meant = known.find((other) => other.startsWith(name) || name.startsWith(other));
      return `${name} is not a setting and is ignored${meant ? `; did you mean ${meant}?` : ""}`;
    });
}

/** The variables that are set, with `NAME_FILE` replaced by the content of its file. */
function withFilesRead(env: Variables): Partial<Record<VariableName, string>> {
  const given: Partial<Record<VariableName, string>> = {};
  for (const [name, rule] of rules()) {
    const text = env[name] || undefined;
    const file = rule.secret ? env[`${name}_FILE`] || undefined : undefined;
    if (text !== undefined && file !== undefined) {
      throw new ConfigError(`${name} and ${name}_FILE are both set: keep one of them`);
    }
    const value = file === undefined ? text : readSecretFile(`${name}_FILE`, file, !rule.isPublic);
    if (value !== undefined) given[name] = value;
  }
  return given;
}

function defaults(): Record<string, string | number> {
  return Object.fromEntries(
    rules().flatMap(([name, rule]) => (rule.default === undefined ? [] : [[name, rule.default]])),
  );
}

function typed(given: Partial<Record<VariableName, string>>): Record<string, string | number | boolean> {
  const entries = Object.entries(given) as [VariableName, string][];
  return Object.fromEntries(entries.map(([name, text]) => [name, typedValue(variableRules[name], text)]));
}

/** Plain decimal digits as a number, `true` and `false` as a boolean; anything else stays text, which the schema refuses. */
function typedValue(rule: VariableRule, text: string): string | number | boolean {
  if (rule.type === "integer" && /^\d{1,15}$/.test(text)) return Number(text);
  if (rule.type === "boolean" && /^(true|1)$/.test(text)) return true;
  if (rule.type === "boolean" && /^(false|0)$/.test(text)) return false;
  return text;
}

function rules(): [VariableName, VariableRule][] {
  return Object.entries(variableRules) as [VariableName, VariableRule][];
}
