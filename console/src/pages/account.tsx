import { Text } from "@mantine/core";
import { useSession } from "../session.js";
import { Page } from "../ui/page.js";
import { EraseOwner } from "./account/erase-owner.js";
import { ExportOwner } from "./account/export-owner.js";

/** Everything of the owner: a copy of it, and its erasure. */
export function AccountPage() {
  const { owner } = useSession();
  return (
    <Page title="Your data" subtitle={<Text size="sm">Signed in as {owner?.userId}</Text>}>
      <ExportOwner />
      {owner && <EraseOwner userId={owner.userId} />}
    </Page>
  );
}
