const OLDEST = [20, 19];

/** Ends the process with one clear line when this Node is older than the service supports. */
export function checkNodeVersion() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  console.error(
    `Botyard needs Node ${OLDEST.join(".")} or newer; this is ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}
