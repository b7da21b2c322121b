import { Group, Text, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from "@mantine/core";
import type { ComponentPropsWithRef } from "react";
import { useSession } from "../session.js";
import { ChevronIcon } from "../ui/icons.js";
import classes from "./owner-button.module.css";

type OwnerButtonProps = UnstyledButtonProps &
  Omit<ComponentPropsWithRef<"button">, keyof UnstyledButtonProps>;

/** The signed-in owner's name, which opens the menu. */
export function OwnerButton(props: OwnerButtonProps) {
  const { owner } = useSession();
  const name = owner?.name ?? "";
  return (
    <UnstyledButton p={4} {...props}>
      <Group gap={8} wrap="nowrap">
        <VisuallyHidden>Signed in as</VisuallyHidden>
        <span className={classes["initial"]} aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
        <Text size="sm" truncate className={classes["name"]}>
          {name}
        </Text>
        <ChevronIcon size={16} />
      </Group>
    </UnstyledButton>
  );
}
