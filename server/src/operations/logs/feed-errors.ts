import { InvalidInput, NotFound } from "../../domain/errors.js";

export function feedOff(): NotFound {
  return new NotFound(
    "this instance serves no feed: set PLATFORM_FEED=true on all instances and restart them; one that is started with PLATFORM_FEED=false removes the feed for all",
    "feed_off",
  );
}

export function invalidCursor(): InvalidInput {
  return new InvalidInput("Invalid feed cursor: use one from an earlier response", "invalid_cursor");
}

export function anotherFeed(): InvalidInput {
  return new InvalidInput(
    "this cursor is of another feed: since then the feed was switched off and on again, or the service has lost data. Read without a position, from the oldest event that is kept",
    "feed_changed",
  );
}
