import { Container } from "@mantine/core";
import { BotIcon } from "../ui/icons.js";
import { ButtonLink } from "../ui/links.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { Page } from "../ui/page.js";

/** Shown for an unknown URL. */
export function NotFoundPage() {
  return (
    <Container size="sm" py="xl">
      <Page title="Page not found">
        <NothingYet
          icon={<BotIcon />}
          title="This page does not exist"
          action={<ButtonLink to="/">Your bots</ButtonLink>}
        >
          Check the URL, or go back to your bots.
        </NothingYet>
      </Page>
    </Container>
  );
}
