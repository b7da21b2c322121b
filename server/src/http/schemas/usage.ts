import { type Static, Type } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_FEED_PAGE_ITEMS, MAX_PAGE_ITEMS, MAX_USAGE_DAYS } from "../../domain/limits.js";
import { nameOfDay, type Usage } from "../../domain/owners/usage.js";
import type { OwnerUsage } from "../../store/store.js";
import { component, itemsOf, listOf } from "./document/component.js";
import { countOf, queryOf } from "./values/scalars.js";

const COUNTS = {
  day: Type.String({ format: "date", description: "The day in UTC.", examples: ["2026-05-12"] }),
  posts: countOf("Posts of the owner, of the platform for the owner, and of the owner's bots."),
  updates: countOf("Updates that were recorded for the owner's bots."),
  deliveries: countOf("Updates that their webhooks have accepted."),
  bytes: countOf("Bytes of those posts, as they are stored: JSON with text, media and author."),
};

const UsageDayBody = component(
  "UsageDay",
  Type.Object(COUNTS, { description: "What was used on one day. An extension of Botyard." }),
);
export const UsageDayList = listOf("UsageDayList", UsageDayBody, "Usage by day. An extension of Botyard.");

const OwnerUsageDayBody = component(
  "OwnerUsageDay",
  Type.Object(
    { user_id: Type.String({ description: "The owner.", examples: ["alice"] }), ...COUNTS },
    { description: "What an owner has used on one day. An extension of Botyard." },
  ),
);
export const OwnerUsagePage = component(
  "OwnerUsagePage",
  Type.Object(
    {
      items: itemsOf(OwnerUsageDayBody),
      cursor: Type.Optional(
        Type.String({
          description: "What to send as `after` for what follows; left out at the end. Opaque.",
        }),
      ),
    },
    { description: "Usage of all owners by day. An extension of Botyard." },
  ),
);

export const usageComponents = [UsageDayBody, UsageDayList, OwnerUsageDayBody, OwnerUsagePage];

const DAYS = {
  from: Type.Optional(
    Type.String({ description: "The first day in UTC; 30 days before the last one when left out." }),
  ),
  to: Type.Optional(
    Type.String({
      description: `The last day in UTC, itself included; today when left out. At most ${MAX_USAGE_DAYS} days in all.`,
    }),
  ),
};
export const UsageQuery = queryOf(DAYS);
export const OwnerUsageQuery = queryOf({
  ...DAYS,
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_FEED_PAGE_ITEMS,
    default: MAX_PAGE_ITEMS,
    description: "Most items to return.",
  }),
  after: Type.Optional(Type.String({ description: "The `cursor` of the page before.", maxLength: 2000 })),
});

export function toUsageDayBody({ day, ...counts }: Usage): Static<typeof UsageDayBody> {
  return { day: nameOfDay(day), ...counts };
}

export function toOwnerUsageDayBody({ ownerUserId, ...usage }: OwnerUsage): Static<typeof OwnerUsageDayBody> {
  return { user_id: ownerUserId, ...toUsageDayBody(usage) };
}

export function usageCursor({ day, ownerUserId }: OwnerUsage): string {
  return `${day}.${Buffer.from(ownerUserId).toString("base64url")}`;
}

/** @throws InvalidInput when it is no cursor */
export function usagePosition(cursor: string): Pick<OwnerUsage, "day" | "ownerUserId"> {
  const { day, owner } = /^(?<day>\d{1,6})\.(?<owner>[\w-]+)$/.exec(cursor)?.groups ?? {};
  const ownerUserId = Buffer.from(owner ?? "", "base64url").toString();
  if (day === undefined || ownerUserId === "" || ownerUserId.includes("\0"))
    throw new InvalidInput("after must be the cursor of a page of usage", "invalid_cursor");
  return { day: Number(day), ownerUserId };
}
