import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Confirm } from "./confirm.js";
import { TrashIcon } from "./icons.js";
import { Panel } from "./panel.js";

interface DestructionProps {
  title: string;
  /** What it takes away. */
  description: string;
  /** The button's label: "Delete the bot". */
  action: string;
  question: string;
  /** The label of the button that does it. */
  confirm: string;
  /** A name to type first, where it cannot be undone. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  /** The consequences. */
  children: ReactNode;
}

/** The part of a page that deletes or erases what the page is about, after a question. */
export function Destruction(props: DestructionProps) {
  const { title, description, action, question, children, ...dialog } = props;
  const [isAsking, asking] = useDisclosure();
  return (
    <Panel
      title={title}
      description={description}
      actions={
        <Button color="red" variant="outline" leftSection={<TrashIcon />} onClick={asking.open}>
          {action}
        </Button>
      }
    >
      <Confirm opened={isAsking} onClose={asking.close} title={question} {...dialog}>
        {children}
      </Confirm>
    </Panel>
  );
}
