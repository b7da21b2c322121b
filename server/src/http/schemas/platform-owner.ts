import { type Static, Type } from "typebox";
import { MAX_OWNER_LIMITS, MAX_REASON_CODE_POINTS } from "../../domain/limits.js";
import { capOf, type OwnerCap, type OwnerLimits, type OwnerStanding } from "../../domain/owners/standing.js";
import { component, enumOf, listOf, ref } from "./document/component.js";
import { MetadataField, toMetadata } from "./values/metadata.js";
import { timeOf, toTimeOrAbsent } from "./values/scalars.js";
import { CLEAN_TEXT } from "./values/text-rules.js";

const DEFAULTS = "Null: what the configuration of the service says.";

const limitOf = (minimum: number, maximum: number, description: string) =>
  Type.Unsafe<number | null>({ type: ["integer", "null"], minimum, maximum, description });

const LIMITS = {
  bots: limitOf(0, MAX_OWNER_LIMITS.bots, `Bots that the owner may have. ${DEFAULTS}`),
  channels: limitOf(0, MAX_OWNER_LIMITS.channels, `Channels that the owner may have. ${DEFAULTS}`),
  posts_per_second: limitOf(
    1,
    MAX_OWNER_LIMITS.postsPerSecond,
    "Posts that the owner and the owner's bots may publish in a second, at each instance; edits, custom events and responses to interactions count too. Null: any.",
  ),
  destinations: limitOf(
    0,
    MAX_OWNER_LIMITS.destinations,
    "Webhooks of all bots of the owner together. Null: any.",
  ),
  bytes_kept: limitOf(
    0,
    MAX_OWNER_LIMITS.bytesKept,
    `Bytes of posts, edits and other events that the owner's channels may keep. They are counted within minutes. ${DEFAULTS}`,
  ),
};

const OwnerLimitsBody = component(
  "OwnerLimits",
  Type.Object(LIMITS, {
    description:
      "What the platform lets an owner have. One that is below what the owner has already refuses new ones only. An extension of Botyard.",
  }),
);

export const PlatformOwnerBody = component(
  "PlatformOwner",
  Type.Object(
    {
      user_id: Type.String({ description: "The owner's user id.", examples: ["alice"] }),
      suspended: Type.Boolean({ description: "Whether the owner is suspended." }),
      suspended_at: Type.Optional(timeOf("Since when; left out while the owner is not suspended.")),
      reason: Type.Optional(Type.String({ description: "Why, as the owner is told." })),
      limits: ref(OwnerLimitsBody),
      metadata: MetadataField,
    },
    { description: "What the platform has decided about an owner. An extension of Botyard." },
  ),
);

export const PlatformOwnerList = listOf(
  "PlatformOwnerList",
  PlatformOwnerBody,
  "Owners of whom the platform has said something. An extension of Botyard.",
);

const PutOwnerLimits = component(
  "PutOwnerLimits",
  Type.Partial(Type.Object(LIMITS), {
    additionalProperties: false,
    description: "Those that are left out stay as they are. An extension of Botyard.",
  }),
);

export const PutOwnerRequest = component(
  "PutOwnerRequest",
  Type.Object(
    {
      suspended: Type.Optional(Type.Boolean({ description: "True suspends the owner, false lifts that." })),
      reason: Type.Optional(
        Type.String({
          maxLength: MAX_REASON_CODE_POINTS,
          format: CLEAN_TEXT,
          description: "Why, with `suspended: true`. The owner sees it with each refusal.",
          examples: ["spam: see the mail of 12 May"],
        }),
      ),
      limits: Type.Optional(ref(PutOwnerLimits)),
      metadata: MetadataField,
    },
    {
      description: "What is left out stays as it is. An extension of Botyard.",
      examples: [{ suspended: true, reason: "spam" }, { limits: { bots: 3, posts_per_second: null } }],
    },
  ),
);

const LimitSetter = enumOf(
  "LimitSetter",
  ["platform", "service"],
  "Who has set a limit: the platform for this owner, or the service for all. An extension of Botyard.",
);

const OwnLimitBody = component(
  "OwnLimit",
  Type.Object(
    {
      limit: Type.Unsafe<number | null>({
        type: ["integer", "null"],
        description: "The most there may be; null when there is no limit.",
      }),
      set_by: ref(LimitSetter),
      used: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "Of bytes: how many there are, as far as they are counted.",
        }),
      ),
    },
    { description: "A limit of an owner. An extension of Botyard." },
  ),
);

export const OwnLimitsBody = component(
  "OwnLimits",
  Type.Object(
    {
      bots: ref(OwnLimitBody),
      channels: ref(OwnLimitBody),
      posts_per_second: ref(OwnLimitBody),
      destinations: ref(OwnLimitBody),
      bytes_kept: ref(OwnLimitBody),
    },
    { description: "What you may have, and publish. An extension of Botyard." },
  ),
);

export const platformOwnerComponents = [
  OwnerLimitsBody,
  PlatformOwnerBody,
  PlatformOwnerList,
  PutOwnerLimits,
  PutOwnerRequest,
  LimitSetter,
  OwnLimitBody,
  OwnLimitsBody,
];

/** @param owner undefined when the platform has said nothing of them */
export function toPlatformOwnerBody(
  userId: string,
  owner: OwnerStanding | undefined,
): Static<typeof PlatformOwnerBody> {
  const {
    bots = null,
    channels = null,
    postsPerSecond = null,
    destinations = null,
    bytesKept = null,
  } = owner?.limits ?? {};
  return {
    user_id: userId,
    suspended: owner?.suspendedAt !== undefined,
    suspended_at: toTimeOrAbsent(owner?.suspendedAt),
    reason: owner?.suspensionReason,
    limits: { bots, channels, posts_per_second: postsPerSecond, destinations, bytes_kept: bytesKept },
    metadata: toMetadata(owner?.metadata),
  };
}

export function limitsOf({
  posts_per_second: postsPerSecond,
  bytes_kept: bytesKept,
  ...limits
}: Static<typeof PutOwnerLimits>): {
  [Name in keyof OwnerLimits]?: number | null | undefined;
} {
  return {
    ...limits,
    ...(postsPerSecond !== undefined && { postsPerSecond }),
    ...(bytesKept !== undefined && { bytesKept }),
  };
}

export function toOwnLimitsBody(
  { bots, channels }: { bots: OwnerCap; channels: OwnerCap },
  { postsPerSecond, destinations }: OwnerLimits = {},
  kept: { cap: OwnerCap | undefined; used: number },
): Static<typeof OwnLimitsBody> {
  const body = ({ most, setBy }: OwnerCap) => ({ limit: most, set_by: setBy });
  const bodyOf = (limit: number | undefined) =>
    limit === undefined ? ({ limit: null, set_by: "service" } as const) : body(capOf(limit, limit));
  return {
    bots: body(bots),
    channels: body(channels),
    posts_per_second: bodyOf(postsPerSecond),
    destinations: bodyOf(destinations),
    bytes_kept: { ...(kept.cap ? body(kept.cap) : bodyOf(undefined)), used: kept.used },
  };
}
