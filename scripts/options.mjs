import { progress } from "./repository.mjs";

/** Ends the process with 2 and one line when one of the options is given and no whole number above 0. */
export function wholeNumbers(values, names) {
  for (const name of names) {
    if (values[name] !== undefined && !/^[1-9]\d{0,9}$/.test(values[name])) {
      progress(`--${name} must be a whole number, not "${values[name]}"`);
      process.exit(2);
    }
  }
}

/** The arguments with which vitest runs on that engine, or on both. Ends the process with 2 when there is no such engine. */
export function engineProjects(engine) {
  const engines = ["sqlite", "postgres"];
  if (engine !== undefined && !engines.includes(engine)) {
    progress(`--engine must be sqlite or postgres, not "${engine}"`);
    process.exit(2);
  }
  return (engine ? [engine] : engines).map((name) => `--project=${name}`);
}
