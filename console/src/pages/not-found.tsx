import { Container } from "@mantine/core";
import { BotIcon } from "../ui/icons.js";
import { ButtonLink } from "../ui/links.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { Page } from "../ui/page.js";

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <Container size="sm" py="xl">
      <Page title="There is no such page">
        <NothingYet
          icon={<BotIcon />}
          title="The address leads nowhere"
          action={<ButtonLink to="/">Your bots</ButtonLink>}
        >
          A letter may be missing, or the page has moved.
        </NothingYet>
      </Page>
    </Container>
  );
}
