import { Box, Code, Group } from "@mantine/core";
import classes from "./command.module.css";
import { Copy } from "./copy.js";

/** A command or code to copy. */
export function Command({ text, what = "command" }: { text: string; what?: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Box flex={1} miw={0}>
        <Code block tabIndex={0} className={classes["text"]}>
          {text}
        </Code>
      </Box>
      <Copy text={text} what={what} />
    </Group>
  );
}
