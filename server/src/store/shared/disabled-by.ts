import { BY_OWNER, BY_PLATFORM, BY_SUSPENSION } from "../../domain/bots/disabled-by.js";

/** SQL of who keeps a bot `b` disabled, as its owner is told; null while it is enabled. */
export const DISABLED_BY = `CASE WHEN b.disabled_at IS NULL THEN NULL
    WHEN b.disabled_by & ${BY_PLATFORM} > 0 THEN 'platform'
    WHEN b.disabled_by & ${BY_SUSPENSION} > 0 THEN 'suspension' WHEN b.disabled_by & ${BY_OWNER} > 0 THEN 'owner' END`;
