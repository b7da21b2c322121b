import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useState } from "react";
import { CheckIcon, CopyIcon } from "./icons.js";

const SHOWN_MS = 2_000;

interface CopyProps {
  text: string;
  /** What is copied: "token", "URL". */
  what: string;
  /** A button with text instead of an icon. */
  wide?: boolean;
}

/** Copies a text to the clipboard and confirms it. */
export function Copy({ text, what, wide = false }: CopyProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    setState((await toClipboard(text)) ? "copied" : "failed");
    setTimeout(() => setState("ready"), SHOWN_MS);
  };
  const icon = state === "copied" ? <CheckIcon /> : <CopyIcon />;
  const said = { ready: `Copy ${what}`, copied: "Copied", failed: "Select and copy it yourself" }[state];
  if (wide) {
    return (
      <Button
        variant="light"
        color={state === "copied" ? "teal" : undefined}
        leftSection={icon}
        onClick={() => void copy()}
        aria-live="polite"
      >
        {said}
      </Button>
    );
  }
  return (
    <Tooltip label={said}>
      <ActionIcon
        variant="subtle"
        color={state === "copied" ? "teal" : "gray"}
        aria-label={said}
        onClick={() => void copy()}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

/** Browsers allow the clipboard API on secure pages only; a service in a local network is often reached by plain http. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  // Inside the open dialog, which keeps the focus inside itself.
  (document.querySelector('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}
