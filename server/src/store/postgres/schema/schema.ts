import type { StepDescription } from "../../inspection.js";
import type { SchemaSteps } from "../../shared/schema/schema-steps.js";
import { ANSWERS } from "./answers.js";
import { AUDIT } from "./audit.js";
import { CELLS, HOLD_ARRIVING } from "./cells.js";
import { MOVE_DESTINATIONS } from "./destinations.js";
import { FIRST_SCHEMA } from "./first-schema.js";
import { GIVEN_UP } from "./given-up.js";
import { KEPT, KEPT_REVISIONS } from "./kept.js";
import { DELIVERIES_OFF, INCARNATION, LOG_TABLES } from "./log-tables.js";
import { moveUpdates } from "./move-updates.js";
import { LIST_EVENTS, NAME_EVENTS, TURN_SIGNS } from "./name-events.js";
import type { OfflineStep, SchemaStep } from "./schema-step.js";

/**
 * The schema: how a new database gets it, and the steps that lead to it from an earlier one. A step, once released, is never
 * edited, nor is the first schema; a change is a new step at the end. Steps run beside live traffic and have the shapes of
 * `schema-step.ts`, except those that are marked there as offline. The numbers of the steps done are in `botyard_schema`.
 *
 * Rows are found by integer keys; the public ids stand beside them. Every table that grows without bound is read by a
 * prefix of its primary key or of an index, never scanned.
 */
export const SCHEMA: SchemaSteps<SchemaStep | OfflineStep> = {
  first: { schema: 64, step: FIRST_SCHEMA },
  // The last one whose log was the table updates, each row with its delivery.
  earliest: 45,
  steps: [
    { change: LOG_TABLES },
    {
      change: `
      ALTER TABLE lanes
        ADD COLUMN round bigint NOT NULL DEFAULT 2,
        ADD COLUMN skip_through bigint,
        ADD COLUMN skip_round bigint;`,
    },
    // From here on an instance of the release before finds neither: it must not write what would be lost, nor move a lane on over
    // updates whose outcomes it could not record.
    `ALTER TABLE updates RENAME TO old_updates;
    ALTER TABLE lanes RENAME COLUMN next_fresh_id TO next_fresh_number;`,
    { move: moveUpdates },
    `DROP TABLE old_updates;
    DROP TABLE event_listeners;
    ALTER TABLE lanes
      DROP COLUMN requeue_from, DROP COLUMN requeue_below, DROP COLUMN skip_from, DROP COLUMN skip_below;`,
    { change: DELIVERIES_OFF },
    { change: INCARNATION },
    {
      change: `
      ALTER TABLE lanes
        ADD COLUMN incarnation bigint NOT NULL DEFAULT 0,
        ADD COLUMN gap_from bigint,
        ADD COLUMN gap_through bigint;`,
    },
    { change: "ALTER TABLE posts ADD COLUMN cause text;" },
    MOVE_DESTINATIONS,
    {
      change: `
      -- What the process calls itself that reads for a consumer, and until when it is taken to. Null before one has said so.
      ALTER TABLE consumers ADD COLUMN reader text, ADD COLUMN reader_until bigint;`,
    },
    { change: GIVEN_UP },
    {
      change: `
      -- The most updates of one request to the webhook, until there were more settings.
      ALTER TABLE destinations ADD COLUMN max_batch integer NOT NULL DEFAULT 1;`,
    },
    {
      change: `
      -- settings: how the webhook is called, as far as it differs from the defaults: JSON of domain/delivery/webhook-settings.ts.
      -- pause_reason: who or what has paused it; null while it is not paused, and when an earlier version has paused it.
      ALTER TABLE destinations ADD COLUMN settings text, ADD COLUMN pause_reason text;`,
    },
    {
      backfill: `
      UPDATE destinations SET settings = json_build_object('maxBatch', max_batch)::text, max_batch = 1
      WHERE destination_key IN (
        SELECT destination_key FROM destinations WHERE max_batch > 1 ORDER BY destination_key LIMIT 1000 FOR UPDATE)`,
    },
    { change: "ALTER TABLE destinations DROP COLUMN max_batch;" },
    NAME_EVENTS,
    { backfill: TURN_SIGNS },
    LIST_EVENTS,
    {
      change: `
      -- has_further: false while no bot ever had a webhook besides its first one; true where that is not known.
      ALTER TABLE incarnation ADD COLUMN has_further boolean NOT NULL DEFAULT true;`,
    },
    {
      change: `
      -- commands: what the bot offers in its channels, JSON of domain/bots/commands.ts; null without any. commands_at: when they were
      -- set; above that of the time before.
      ALTER TABLE bots ADD COLUMN commands text, ADD COLUMN commands_at bigint;`,
    },
    // An interaction is found by its id alone.
    {
      createIndex: "events_interactions",
      on: "events (id) WHERE event_type = 'interaction.created'",
      isUnique: true,
    },
    {
      change: `
      -- When a bot was attached; null of those that were attached before.
      ALTER TABLE attachments ADD COLUMN attached_at bigint;`,
    },
    {
      change: `
      -- Of a direct channel: the only bot that may be attached, and the user of the owner's product for whom it is, if for one.
      ALTER TABLE channels
        ADD COLUMN direct_bot_id uuid, ADD COLUMN direct_user_id text, ADD COLUMN direct_username text;`,
    },
    {
      createIndex: "channels_direct",
      on: "channels (owner_user_id, direct_bot_id, coalesce(direct_user_id, '')) WHERE direct_bot_id IS NOT NULL",
      isUnique: true,
    },
    {
      change: `
      -- is_listed: whether its owner lets other owners attach it. review_: what the platform decided on that last; null before it has.
      ALTER TABLE bots
        ADD COLUMN is_listed boolean NOT NULL DEFAULT false, ADD COLUMN review_status text, ADD COLUMN review_note text,
        ADD COLUMN reviewed_at bigint;`,
    },
    { createIndex: "bots_listed", on: "bots (bot_key) WHERE is_listed" },
    // A bot is attached by the holder of the channel.
    { createIndex: "attachments_by_holder", on: "attachments (bot_key, attached_by)" },
    {
      change: `
      -- Whether any bot was ever attached to a channel of another owner.
      ALTER TABLE incarnation ADD COLUMN has_away boolean NOT NULL DEFAULT false;`,
    },
    {
      change: `
      -- Users of a product who are to be erased from all events. position: the last event that was looked at for them; null while they
      -- wait for the walk under way to end. ended_at: when their walk has ended.
      CREATE TABLE erased_users (user_id text PRIMARY KEY, position bigint, ended_at bigint);
      CREATE INDEX erased_users_walking ON erased_users (position) WHERE position IS NOT NULL AND ended_at IS NULL;
      CREATE INDEX erased_users_waiting ON erased_users (user_id) WHERE position IS NULL AND ended_at IS NULL;
      CREATE INDEX erased_users_ended ON erased_users (ended_at) WHERE ended_at IS NOT NULL;`,
    },
    {
      createIndex: "channels_by_direct_user",
      on: "channels (direct_user_id) WHERE direct_user_id IS NOT NULL",
    },
    {
      change: `
      -- Who keeps a bot disabled, by the bits of domain/bots/disabled-by.ts; 0 also when an earlier version has disabled it.
      ALTER TABLE bots ADD COLUMN disabled_by smallint NOT NULL DEFAULT 0;`,
    },
    {
      change: `
      -- What the platform has decided about owners: why and since when one is suspended; limits: JSON of domain/owners/standing.ts, without
      -- those that the configuration says; metadata: JSON, as the platform gave it.
      CREATE TABLE owners (
        user_id           text PRIMARY KEY,
        suspended_at      bigint,
        reason text,
        limits            text,
        metadata          text
      );`,
    },
    { change: AUDIT },
    {
      change: `
      -- What owners and their bots have caused on each day, in days since the epoch. bytes: of posts.
      CREATE TABLE owner_usage (
        owner_user_id text NOT NULL,
        day           integer NOT NULL,
        posts         bigint NOT NULL,
        updates       bigint NOT NULL,
        deliveries    bigint NOT NULL,
        bytes         bigint NOT NULL,
        PRIMARY KEY (owner_user_id, day)
      ) WITH (fillfactor = 50);
      CREATE INDEX owner_usage_by_day ON owner_usage (day, owner_user_id);`,
    },
    {
      change: `
      -- Up to which of its own deliveries, and the updates of its log, a destination is counted in owner_usage. Null before it is.
      ALTER TABLE destinations ADD COLUMN counted_updates bigint, ADD COLUMN counted_deliveries bigint;`,
    },
    { change: KEPT },
    { change: KEPT_REVISIONS },
    { change: CELLS },
    {
      createIndex: "removed_channels_to_erase",
      on: "removed_channels (owner_user_id, channel_key) WHERE id IS NULL",
    },
    {
      createIndex: "removed_channels_in_feed",
      on: "removed_channels (owner_user_id, id) WHERE id IS NOT NULL",
    },
    {
      // Of a database of before, what is there already is not counted. Without a row all is.
      backfill: `
      INSERT INTO sweeps (kind, event_key) SELECT 'usage', event_key FROM events ORDER BY event_key DESC LIMIT 1
      ON CONFLICT DO NOTHING`,
    },
    {
      createIndex: "bots_of_other_cells",
      on: "bots (ascii(owner_user_id), bot_key) WHERE ascii(owner_user_id) BETWEEN 1 AND 31",
    },
    {
      change: `
      -- Whether entries of the audit log are events of the feed, too.
      ALTER TABLE feed ADD COLUMN has_audit boolean NOT NULL DEFAULT false;`,
    },
    { createIndex: "alerts_of_owner", on: "alerts (owner_user_id, alert_key)" },
    { dropIndex: "alerts_by_owner" },
    { createIndex: "bots_told_of_audit", on: `bots (owner_user_id) WHERE subscription LIKE '%"alert.%'` },
    { createIndex: "bots_listed_by_id", on: "bots (id) WHERE is_listed" },
    { dropIndex: "bots_listed" },
    {
      change: `
      -- When users, whose first walk has ended, are to be erased once more; 0 before that.
      ALTER TABLE erased_users ADD COLUMN again_at bigint NOT NULL DEFAULT 0;`,
    },
    {
      createIndex: "erased_users_due",
      on: "erased_users (again_at, user_id) WHERE position IS NULL AND ended_at IS NULL",
    },
    { dropIndex: "erased_users_waiting" },
    ...ANSWERS,
    { change: HOLD_ARRIVING },
  ],
};

/** What each step does, for people. */
export const DESCRIPTIONS: SchemaSteps<StepDescription> = {
  first: { schema: SCHEMA.first.schema, step: { does: "makes all tables" } },
  earliest: SCHEMA.earliest,
  steps: [
    { does: "makes the tables of log entries and deliveries" },
    { does: "adds to the lanes in which round their deliveries are" },
    { does: "takes the table of updates from services of the version before" },
    { does: "moves all updates into the new tables", reads: "updates" },
    { does: "removes the table of updates" },
    { does: "makes the table that says whether deliveries are off" },
    { does: "makes a table by which a fail-over is noticed" },
    {
      does: "adds to the logs in which incarnation of the database they last grew, and which numbers they skipped",
    },
    { does: "adds to events what the requests that caused them said of themselves" },
    { does: "moves webhooks, and how far they have come, into a table of destinations", reads: "bots" },
    { does: "adds to consumers who reads for them" },
    { does: "makes the table of updates that bots gave up" },
    { does: "adds to webhooks how many updates a request may carry" },
    { does: "adds to webhooks how they are called and why they are paused" },
    { does: "keeps how many updates a request may carry there", reads: "bots" },
    { does: "removes it from where it was" },
    { does: "gives the tables of events and destinations the names that they have now" },
    { does: "notes of events whether their channel lists them", reads: "posts" },
    { does: "makes the index of the events of a channel" },
    { does: "notes whether any bot has more than one webhook" },
    { does: "adds to bots which commands they offer" },
    { does: "makes the index of interactions" },
    { does: "adds to attachments since when they are" },
    { does: "adds to channels with which bot and for whom a direct one is" },
    { does: "makes the index of direct channels" },
    { does: "adds to bots whether other owners may attach them" },
    { does: "makes the index of listed bots" },
    { does: "makes the index of who attached a bot" },
    { does: "notes whether any bot is in a channel of another owner" },
    { does: "makes the table of users of a product who are erased" },
    { does: "makes the index of their direct channels" },
    { does: "adds to bots who has disabled them" },
    { does: "makes the table of what the platform has decided about owners" },
    { does: "makes the table of the audit log" },
    { does: "makes the table of what owners have used" },
    { does: "adds to webhooks what is counted of them" },
    { does: "makes the table of the bytes that owners keep" },
    { does: "notes what becomes of the revisions of posts" },
    { does: "makes the tables of cells and their directory" },
    { does: "makes the index of removed channels that are to be erased" },
    { does: "makes the index of removed channels that the feed still tells of" },
    { does: "notes from where on usage is counted" },
    { does: "makes the index of what stands in a cell for bots of others" },
    { does: "adds to the feed whether it has the audit log" },
    { does: "makes the index of alerts by owner, in their order" },
    { does: "removes the index of alerts by owner alone" },
    { does: "makes the index of bots that are told of the audit log" },
    { does: "makes the index of listed bots by their ids" },
    { does: "removes the index of listed bots by their keys" },
    { does: "adds to users who are erased when that is done once more" },
    { does: "makes the index of users who are to be erased, in the order of that" },
    { does: "removes the index of users who are to be erased" },
    { does: "adds to failed attempts which event their answers are erased with" },
    { does: "makes the index of these" },
    { does: "clears answers when their event is erased" },
    { does: "makes the index of answers whose event is not noted" },
    { does: "notes the events of those that were kept before", reads: "failed_attempts" },
    { does: "removes that index" },
    { does: "adds to moves of owners what is written when they have arrived" },
  ],
};
