import { Textarea, type TextareaProps } from "@mantine/core";

export type Metadata = Record<string, unknown>;

/** A field for the owner's own data, as JSON; the rule `metadata` validates it. */
export function MetadataField(props: TextareaProps) {
  return (
    <Textarea
      ff="monospace"
      label="Metadata"
      description="A JSON object of up to 4 KiB for your own programs. Bots don’t see it. Empty removes it."
      placeholder='{ "team": "weather" }'
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      {...props}
    />
  );
}

/** What the field shows. */
export function metadataText(metadata: Metadata | undefined): string {
  return metadata === undefined ? "" : JSON.stringify(metadata, undefined, 2);
}

/** The changes as they are sent. Empty text becomes an empty object, which removes the metadata. */
export function withMetadata<Changes extends { metadata?: string }>({
  metadata,
  ...others
}: Changes): Omit<Changes, "metadata"> & { metadata?: Metadata } {
  if (metadata === undefined) return others;
  return { ...others, metadata: metadata.trim() === "" ? {} : (JSON.parse(metadata) as Metadata) };
}
