import type { Post } from "@botyard/sdk";
import { Anchor, Code, Group, VisuallyHidden } from "@mantine/core";
import classes from "./post-row.module.css";

type MediaList = NonNullable<Post["media"]>;

const IMAGE_FILE = /\.(?:apng|avif|bmp|gif|jpe?g|png|svg|webp)$/i;

/**
 * A post's media. Nothing is loaded: a picture would be a request to another server. A click opens it in a new tab
 * without a referrer, so this page's Content-Security-Policy can stay strict.
 */
export function Media({ media }: { media: MediaList }) {
  const pictures = picturesIn(media);
  return (
    <>
      <Code block mt="xs" tabIndex={0} className={classes["media"]}>
        {JSON.stringify(media, undefined, 2)}
      </Code>
      {pictures.length > 0 && (
        <Group gap="md" mt={4}>
          {pictures.map((url) => (
            <Anchor
              key={url.href}
              href={url.href}
              target="_blank"
              rel="noopener noreferrer"
              size="sm"
              className={classes["picture"]}
            >
              Show picture of {url.host}
              <VisuallyHidden> (opens a new tab)</VisuallyHidden>
            </Anchor>
          ))}
        </Group>
      )}
    </>
  );
}

/** Addresses of pictures, each once: named like a picture, or of an object that says it is one. */
function picturesIn(media: MediaList): URL[] {
  const found = new Map<string, URL>();
  for (const object of media) {
    const saysSo = [object["type"], object["kind"], object["mime_type"]].some(
      (type) => typeof type === "string" && /^(?:image|photo|picture)\b/i.test(type),
    );
    for (const value of Object.values(object)) {
      if (typeof value !== "string" || !/^https?:\/\//i.test(value) || !URL.canParse(value)) continue;
      const url = new URL(value);
      if (saysSo || IMAGE_FILE.test(url.pathname)) found.set(url.href, url);
    }
  }
  return [...found.values()];
}
