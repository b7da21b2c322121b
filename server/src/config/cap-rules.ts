import { Type } from "typebox";
import { DEFAULT_POST_CODE_POINTS, HIGHEST_POST_CODE_POINTS } from "../domain/limits.js";

/** The variables that limit what may exist or wait at once, as `schema.ts` describes variables. */
export const capRules = {
  MAX_BOTS_PER_OWNER: Type.Integer({
    description: "Bots one owner may have.",
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    expects: "a whole number from 1 to 100000",
  }),
  MAX_CHANNELS_PER_OWNER: Type.Integer({
    description: "Channels one owner may have.",
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    expects: "a whole number from 1 to 1000000",
  }),
  MAX_BYTES_PER_OWNER: Type.Optional(
    Type.Integer({
      description:
        "Bytes of posts, edits and other events that the channels of one owner may keep, as they are stored. They are counted within minutes; above it, posts, edits and events are refused.",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      shownDefault: "any",
      expects: "a whole number of bytes from 1 on",
    }),
  ),
  MAX_CHANNELS_PER_BOT: Type.Integer({
    description: "Channels of one owner that one bot may be attached to.",
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    expects: "a whole number from 1 to 100000",
  }),
  MAX_CHANNELS_PER_LISTED_BOT: Type.Integer({
    description:
      "Channels of all owners together that one bot may be attached to. At most a tenth of them are of one owner by default, so that no one takes a listed bot from all others.",
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    expects: "a whole number from 1 to 1000000",
  }),
  MAX_POLLS_PER_BOT: Type.Integer({
    description:
      "Polls of one bot that may wait at once at this instance; one more is answered at once, with 429 if there is nothing to read.",
    default: 100,
    minimum: 1,
    maximum: 100_000,
    expects: "a whole number from 1 to 100000",
  }),
  MAX_WAITING_POSTS: Type.Integer({
    description:
      "Posts that may wait to be stored at once at this instance. While as many wait, owners with more than an equal share of them get 429 and `Retry-After`.",
    default: 256,
    minimum: 1,
    maximum: 100_000,
    expects: "a whole number from 1 to 100000",
  }),
  MAX_BOT_LOOP_POSTS: Type.Integer({
    description:
      "Posts that bots of one channel may publish in answer to each other, without a post of a person between; further ones at one a second, others get 429. Each instance counts for itself. `0`: no limit.",
    default: 100,
    minimum: 0,
    maximum: 1000,
    expects: "a whole number from 0 to 1000",
  }),
  MAX_POST_CHARACTERS: Type.Integer({
    description:
      "Characters (code points) that the text of a post may have, and that of an edit or of a response to an interaction. A request still has at most 64 KiB. Set the same at all instances; a lower number later leaves earlier posts as they are.",
    default: DEFAULT_POST_CODE_POINTS,
    minimum: DEFAULT_POST_CODE_POINTS,
    maximum: HIGHEST_POST_CODE_POINTS,
    expects: "a whole number from 4096 to 32768",
  }),
  MAX_CONNECTIONS: Type.Integer({
    description:
      "Open client connections of this instance; further ones are closed at once. Each waiting poll needs one.",
    default: 20_000,
    minimum: 10,
    maximum: 1_000_000,
    expects: "a whole number from 10 to 1000000",
  }),
};
