import type { GivenUp } from "@botyard/sdk";
import type { Row } from "../../output/table.js";

export function givenUpRow({ update_id, consumer, given_up_at, handed_in_at, error }: GivenUp): Row {
  return { update: update_id, consumer, "given up": given_up_at, "handed in": handed_in_at, error };
}
