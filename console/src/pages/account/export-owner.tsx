import { Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { count } from "../../ui/numbers.js";
import { Panel } from "../../ui/panel.js";

/**
 * The lines are kept in memory. Above this number a browser may not have enough; the `botyard` command writes to a file
 * instead.
 */
const MAX_LINES = 500_000;
/** How often the progress is shown. */
const SHOWN_EVERY_LINES = 500;

/** Downloads bots, channels, posts, events and updates as lines of JSON. */
export function ExportOwner() {
  const [lines, setLines] = useState(0);
  const [stop, setStop] = useState(() => new AbortController());
  const exporting = useMutation({
    mutationFn: async (signal: AbortSignal) => save(await collect(signal, setLines)),
  });
  return (
    <Panel
      title="Export"
      description="Your bots, channels, posts, events and updates as lines of JSON, without tokens and secrets."
      actions={
        exporting.isPending ? (
          <Button variant="default" onClick={() => stop.abort(new Error("It was stopped"))}>
            Stop
          </Button>
        ) : (
          <Button
            variant="default"
            onClick={() => {
              const next = new AbortController();
              setStop(next);
              exporting.mutate(next.signal);
            }}
          >
            Export everything
          </Button>
        )
      }
    >
      <Group>
        {(exporting.isPending || exporting.isSuccess) && (
          <Text size="sm" role="status">
            {count(lines, "line")} {exporting.isPending ? "so far" : "saved"}
          </Text>
        )}
      </Group>
      {!stop.signal.aborted && <FailureAlert error={exporting.error} of="read" />}
    </Panel>
  );
}

async function collect(signal: AbortSignal, onProgress: (lines: number) => void): Promise<Blob> {
  const lines: string[] = [];
  for await (const line of owner.exportOwner({ signal })) {
    lines.push(`${JSON.stringify(line)}\n`);
    if (lines.length > MAX_LINES) {
      throw new Error("There is more than a browser can keep: use botyard owner export --to FILE");
    }
    if (lines.length % SHOWN_EVERY_LINES === 0) onProgress(lines.length);
  }
  onProgress(lines.length);
  return new Blob(lines, { type: "application/x-ndjson" });
}

function save(content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = "botyard-export.ndjson";
  link.click();
  URL.revokeObjectURL(url);
}
