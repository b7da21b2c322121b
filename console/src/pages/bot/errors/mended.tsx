import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lists } from "../../../api/lists.js";
import { Loaded } from "../../../ui/loaded.js";
import { Panel } from "../../../ui/panel.js";
import { useWebhookName } from "../webhook-name.js";
import { ErrorList } from "./error-list.js";
import { isUndelivered } from "./undelivered.js";

interface MendedProps {
  botId: string;
  onOpen: (updateId: number) => void;
}

/** Updates that failed at first and were delivered since, collapsed. */
export function Mended({ botId, onOpen }: MendedProps) {
  const [isOpen, folding] = useDisclosure();
  return (
    <Panel
      title="Delivered since"
      description="Updates that failed at first."
      actions={
        <Button variant="default" size="xs" onClick={folding.toggle} aria-expanded={isOpen}>
          {isOpen ? "Hide" : "Show"}
        </Button>
      }
    >
      {isOpen && <MendedList botId={botId} onOpen={onOpen} />}
    </Panel>
  );
}

function MendedList({ botId, onOpen }: MendedProps) {
  const errors = useInfiniteQuery(lists.errors(botId, undefined, useWebhookName()));
  return (
    <Loaded query={errors}>
      {({ pages }) => {
        const mended = pages.flat().filter((error) => !isUndelivered(error));
        return (
          <>
            {mended.length === 0 ? (
              <Text size="sm" c="dimmed">
                {errors.hasNextPage ? "None among the last ones that failed." : "None."}
              </Text>
            ) : (
              <ErrorList label="Delivered since" errors={mended} onOpen={onOpen} />
            )}
            {errors.hasNextPage && (
              <Group justify="center">
                <Button
                  variant="default"
                  loading={errors.isFetchingNextPage}
                  onClick={() => void errors.fetchNextPage()}
                >
                  Show older
                </Button>
              </Group>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
