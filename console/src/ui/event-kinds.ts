/** The kinds of events that the service itself tells of; owners emit others. */
export const EVENT_KINDS = [
  "channel.post_created",
  "channel.post_edited",
  "channel.post_deleted",
  "channel.updated",
  "bot.attached",
  "bot.detached",
];

/** The kinds of events that an owner's alerts are about. */
export const ALERT_KINDS = ["webhook.failing", "webhook.recovered", "webhook.paused", "alert.audit_entry"];
