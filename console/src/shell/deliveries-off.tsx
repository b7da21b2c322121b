import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.js";

/** A notice on every page while the service sends nothing to webhooks. */
export function DeliveriesOff() {
  const { data } = useQuery(queries.deliveries());
  if (data !== "off") return null;
  return (
    <Alert color="orange" title="Deliveries are off" mb="lg" role="status">
      This service sends nothing to webhooks. Updates are recorded and can be polled.
    </Alert>
  );
}
