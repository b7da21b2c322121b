import { Button, Container } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { FailureAlert } from "../ui/failure-alert.js";
import { Page } from "../ui/page.js";

/** Shown when a page fails to render, or when its files were removed by an update of the service. */
export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <Container size="sm" py="xl">
      <Page title="Something went wrong">
        <FailureAlert error={error} of="read" />
        <Button onClick={() => location.reload()}>Reload</Button>
      </Page>
    </Container>
  );
}
