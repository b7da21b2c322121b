import type { Post, PostComponent } from "@botyard/sdk";
import { Badge, Group, Stack } from "@mantine/core";

/** The buttons and selects under a post, as labels: users of a product press them, nobody here. */
export function Components({ rows }: { rows: NonNullable<Post["components"]> }) {
  return (
    <Stack gap={4} mt="xs" role="group" aria-label="Buttons and selects">
      {rows.map((row) => (
        <Group key={row.map(({ id }) => id).join(" ")} gap={4}>
          {row.map((component) => (
            <Badge key={component.id} variant="default" radius="sm" tt="none">
              {labelOf(component)}
            </Badge>
          ))}
        </Group>
      ))}
    </Stack>
  );
}

function labelOf({ type, id, label, placeholder, options = [] }: PostComponent): string {
  if (type === "button") return label ?? id;
  return `${placeholder ?? id}: ${options.map((option) => option.label).join(" / ")}`;
}
