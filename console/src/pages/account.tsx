import { Text } from "@mantine/core";
import { useSession } from "../session.js";
import { Page } from "../ui/page.js";
import { Alerts } from "./account/alerts.js";
import { Changes } from "./account/changes.js";
import { EraseOwner } from "./account/erase-owner.js";
import { ExportOwner } from "./account/export-owner.js";
import { Limits } from "./account/limits.js";

/** What concerns all of the owner: alerts, who changed what, limits, a copy of everything, and its erasure. */
export function AccountPage() {
  const { owner } = useSession();
  return (
    <Page title="Your data" subtitle={<Text size="sm">Signed in as {owner?.userId}</Text>}>
      <Alerts />
      <Changes />
      <Limits />
      <ExportOwner />
      {owner && <EraseOwner userId={owner.userId} />}
    </Page>
  );
}
