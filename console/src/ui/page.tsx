import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import classes from "./text.module.css";

interface PageProps {
  title: string;
  /** The part of the page that is open, such as a tab; for the browser's tab and for screen readers. */
  part?: string | undefined;
  /** Actions, beside the title. */
  actions?: ReactNode;
  /** A description, below the title. */
  subtitle?: ReactNode;
  children: ReactNode;
}

/** The frame of a page: its title, for the tab too, and its content. */
export function Page({ title, part, actions, subtitle, children }: PageProps) {
  useDocumentTitle([part, title, "Botyard"].filter(Boolean).join(" · "));
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0} className={classes["breaking"]}>
          <Title order={1}>{title}</Title>
          {subtitle && (
            <Text component="div" c="dimmed" size="sm" mt={4}>
              {subtitle}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
