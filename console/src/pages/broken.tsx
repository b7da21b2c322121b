import { Button, Container } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { FailureAlert } from "../ui/failure-alert.js";
import { Page } from "../ui/page.js";

/** Instead of a page that failed while it was drawn, or whose files are gone since the service was updated. */
export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <Container size="sm" py="xl">
      <Page title="This page does not work">
        <FailureAlert error={error} />
        <Button onClick={() => location.reload()}>Reload</Button>
      </Page>
    </Container>
  );
}
