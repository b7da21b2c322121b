import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./text.module.css";

interface PanelProps {
  /** For links to this part of the page. */
  id?: string;
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A section of a page with a heading. */
export function Panel({ id: anchor, title, description, actions, children }: PanelProps) {
  const id = useId();
  return (
    <Paper component="section" id={anchor} withBorder p={{ base: "md", sm: "lg" }} aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box miw={0} className={classes["breaking"]}>
            <Title order={2} id={id}>
              {title}
            </Title>
            {description && (
              <Text component="div" c="dimmed" size="sm" mt={2}>
                {description}
              </Text>
            )}
          </Box>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
