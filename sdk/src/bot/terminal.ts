/** Whether somebody sits in front of it. */
export function hasTerminal(): boolean {
  return (globalThis as { process?: { stderr?: { isTTY?: boolean } } }).process?.stderr?.isTTY === true;
}
