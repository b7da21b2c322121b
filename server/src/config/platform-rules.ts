import { Type } from "typebox";
import { optionalSecret } from "./text-rules.js";

/** What the platform may do that embeds the service. */
export const platformRules = {
  PLATFORM_TOKEN: optionalSecret({
    description:
      "Token of the product that embeds Botyard: with it and the header `Botyard-Owner: USER`, every owner operation acts as that owner. Several, separated by commas, to change it.",
    shownDefault: "no such access",
    expects:
      "32 to 256 visible ASCII characters without commas, not beginning with bot_; several separated by commas (make one: openssl rand -hex 32)",
  }),
  PLATFORM_RATE_LIMIT_BURST: Type.Integer({
    description: "Requests the platform may send at once to this instance.",
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    expects: "a whole number from 1 to 1000000",
  }),
  PLATFORM_RATE_LIMIT_PER_SECOND: Type.Integer({
    description: "Requests per second that the platform may sustain.",
    default: 2_000,
    minimum: 1,
    maximum: 1_000_000,
    expects: "a whole number from 1 to 1000000",
  }),
  PLATFORM_FEED: Type.Optional(
    Type.Boolean({
      description:
        "Whether what happens in all channels is recorded in one feed, which `PLATFORM_TOKEN` reads. `false` removes the feed with what it has; unset, it stays as it is in the database, and this instance does not serve it.",
      expects: "true or false",
    }),
  ),
  PLATFORM_FEED_AUDIT: Type.Boolean({
    description:
      "Whether entries of the audit log are events of that feed, too. Set the same at all instances: the one that starts last decides for all.",
    default: false,
    expects: "true or false",
  }),
  BOT_REVIEW: Type.Union([Type.Literal("off"), Type.Literal("required")], {
    description:
      "Whether a bot that its owner lists is offered to other owners only while the platform approves of it. Set the same at all instances.",
    default: "off",
    expects: "off or required",
  }),
};
