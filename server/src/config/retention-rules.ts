import { Type } from "typebox";

/** How long things are kept. */
export const retentionRules = {
  RETENTION_DAYS: Type.Integer({
    description: "Days an update is kept.",
    default: 30,
    minimum: 1,
    maximum: 3650,
    expects: "a whole number of days from 1 to 3650",
  }),
  POST_RETENTION_DAYS: Type.Optional(
    Type.Integer({
      description: "Days a post is kept in its channel; not fewer than `RETENTION_DAYS`.",
      minimum: 1,
      maximum: 36_500,
      shownDefault: "for ever",
      expects: "a whole number of days from 1 to 36500",
    }),
  ),
  AUDIT_RETENTION_DAYS: Type.Integer({
    description: "Days an entry of the audit log is kept.",
    default: 90,
    minimum: 1,
    maximum: 3650,
    expects: "a whole number of days from 1 to 3650",
  }),
};
