import { EmptyState } from "@mantine/core";
import type { ReactNode } from "react";

interface NothingYetProps {
  icon: ReactNode;
  title: string;
  /** What to do next. */
  children: ReactNode;
  action?: ReactNode;
}

/** Shown instead of an empty list: what is missing, why, and what to do next. */
export function NothingYet({ icon, title, children, action }: NothingYetProps) {
  return (
    <EmptyState icon={icon} title={title} description={children} variant="light" size="md" py="xl">
      {action && <EmptyState.Actions>{action}</EmptyState.Actions>}
    </EmptyState>
  );
}
