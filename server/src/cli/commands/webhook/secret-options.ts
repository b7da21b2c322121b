import { randomBytes } from "node:crypto";
import { type Command, Option } from "commander";
import { textOf } from "../../input/values.js";

export interface SecretOptions {
  secretToken?: string;
  generateSecret?: boolean;
  removeSecret?: boolean;
}

/** Said after a secret was shown. */
export const KEEP_SECRET = "keep the secret safe: it is not shown again";

/** Options that say with which secret a webhook is signed. */
export function addSecretOptions(set: Command): void {
  set
    .addOption(
      new Option("--secret-token <text>", "sign with this secret; - reads it from stdin").conflicts([
        "generateSecret",
        "removeSecret",
      ]),
    )
    .addOption(
      new Option("--generate-secret", "sign with a new secret, and show it").conflicts("removeSecret"),
    )
    .option("--remove-secret", "do not sign any more");
}

/** What to set as the secret: empty removes it, left out it stays. */
export async function secretOf(options: SecretOptions): Promise<{ secret_token?: string }> {
  const { secretToken, generateSecret, removeSecret } = options;
  if (removeSecret) return { secret_token: "" };
  if (generateSecret) return { secret_token: randomBytes(32).toString("base64url") };
  return secretToken === undefined ? {} : { secret_token: await textOf(secretToken) };
}
