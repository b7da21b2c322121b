import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface PageProps {
  title: string;
  /** Actions, beside the title. */
  actions?: ReactNode;
  /** A description, below the title. */
  subtitle?: ReactNode;
  children: ReactNode;
}

/** The frame of a page: its title, for the tab too, and its content. */
export function Page({ title, actions, subtitle, children }: PageProps) {
  useDocumentTitle(`${title} · Botyard`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box>
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
