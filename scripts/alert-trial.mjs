import { readOptions } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { factor } = readOptions(
  `
npm run alert-trial [-- OPTIONS]

Runs two instances on PostgreSQL under a real Prometheus and Alertmanager, causes incidents one after the other, and prints which
alerts come of each, and when. Takes about ten minutes; needs prometheus, prometheus-alertmanager, prometheus-blackbox-exporter
and openssl. The disk that fills up is a tmpfs, which root alone may mount.

  --factor N       divides the durations in the rules, so that the trial takes minutes (10); with 1 only the incident of all
                   receivers is tried, at its real durations
  --help
`,
  { factor: "10" },
);

await setUp({ withTools: true });
process.env.ALERT_TRIAL_FACTOR = factor;
const { ok } = await runTests(["--project=sqlite", "test/deploy/alert-trial.test.ts"]);
if (!ok) process.exit(1);
