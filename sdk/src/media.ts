/** What all kinds of media have by convention. The service checks none of it, so a reader checks what it needs. */
type Media<Type extends string> = {
  /** The kind. */
  type: Type;
  /** Where it is: an absolute http or https URL. */
  url: string;
  /** To show: of a file its name, of a link its title. */
  name?: string;
  /** Of what is at the URL, such as `image/png`. */
  mime_type?: string;
  /** Its size. */
  bytes?: number;
  /** Instead of it, for people who cannot see or hear it. */
  alt?: string;
};

/** Width and height, in pixels. */
type Extent = {
  /** In pixels. */
  width?: number;
  /** In pixels. */
  height?: number;
};

export type ImageItem = Media<"image"> & Extent;
export type FileItem = Media<"file">;
export type AudioItem = Media<"audio">;
export type VideoItem = Media<"video"> & Extent;
/** A page, to show as a preview. */
export type LinkItem = Media<"link"> & Extent;

/** The kinds of media that products are asked to show, by their `type`. */
export type KnownMediaItem = ImageItem | FileItem | AudioItem | VideoItem | LinkItem;

/** An entry of a post's `media`: one of the kinds by convention, or any other object. */
export type MediaItem = KnownMediaItem | { [field: string]: unknown };

/** Whether an entry of a post's `media` is of this kind: it has the `type`, and a text as `url`. Nothing else is checked. */
export function isMedia<Type extends KnownMediaItem["type"]>(
  item: MediaItem,
  type: Type,
): item is Extract<KnownMediaItem, { type: Type }> {
  return item.type === type && typeof item.url === "string";
}
