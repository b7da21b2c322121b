import { InvalidInput } from "../../domain/errors.js";
import { checkComponents } from "../../domain/events/components.js";
import type { PostContent } from "../../domain/events/post.js";
import { MAX_MEDIA_BYTES } from "../../domain/limits.js";
import { encodeAnyJson } from "../encode-json.js";

/**
 * Checks the rules of a post that its schema cannot express.
 *
 * @throws InvalidInput
 */
export function checkPost({ body, media, components }: PostContent): void {
  const hasMedia = media !== undefined && media.length > 0;
  if (!/\S/.test(body) && (body !== "" || !hasMedia))
    throw new InvalidInput(
      body === "" ? "body must not be empty, unless the post has media" : "body must not be only white space",
      "blank_body",
    );
  if (media) encodeAnyJson(media, "media", MAX_MEDIA_BYTES);
  if (components) checkComponents(components);
}
