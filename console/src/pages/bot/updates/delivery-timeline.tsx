import type { FailedAttempt, OwnerUpdate } from "@botyard/sdk";
import { Code, Text, ThemeIcon, Timeline } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "../../../api/queries.js";
import { AlertIcon, CheckIcon, InboxIcon, SendIcon } from "../../../ui/icons.js";
import { Loaded } from "../../../ui/loaded.js";
import { Moment } from "../../../ui/moment.js";
import { count } from "../../../ui/numbers.js";
import { useWebhookName } from "../webhook-name.js";
import classes from "./delivery-timeline.module.css";

interface DeliveryTimelineProps {
  botId: string;
  update: OwnerUpdate;
}

/** The attempts to deliver an update. */
export function DeliveryTimeline({ botId, update }: DeliveryTimelineProps) {
  const attempts = useQuery(queries.attempts(botId, update, useWebhookName()));
  return (
    <Loaded query={attempts}>
      {(failed) => {
        const succeeded = update.delivered_webhook_at === undefined ? 0 : 1;
        const forgotten = update.webhook_attempt_count - succeeded - failed.length;
        return (
          <Timeline bulletSize={28} lineWidth={2}>
            <Step icon={<InboxIcon size={16} />} title="Recorded in the log" at={update.created_at} />
            {forgotten > 0 && (
              <Step
                icon={<AlertIcon size={16} />}
                color="gray"
                title={`${count(forgotten, "more attempt")} without details`}
              />
            )}
            {failed.map((attempt) => (
              <FailedStep key={attempt.attempt} attempt={attempt} />
            ))}
            <Outcome update={update} />
          </Timeline>
        );
      }}
    </Loaded>
  );
}

function FailedStep({ attempt }: { attempt: FailedAttempt }) {
  return (
    <Step
      icon={<AlertIcon size={16} />}
      color="red"
      title={`Attempt ${attempt.attempt} failed: ${attempt.error}`}
      at={attempt.attempted_at}
      detail={
        attempt.status === undefined
          ? `no answer, ended after ${milliseconds(attempt.duration_ms)}`
          : `answered after ${milliseconds(attempt.duration_ms)}`
      }
    >
      {attempt.response_body !== "" && (
        <Code block mt="xs" tabIndex={0} className={classes["answer"]}>
          {attempt.response_body}
        </Code>
      )}
    </Step>
  );
}

/** The current state. */
function Outcome({ update }: { update: OwnerUpdate }) {
  if (update.delivered_webhook_at !== undefined) {
    return (
      <Step
        icon={<CheckIcon size={16} />}
        color="teal"
        title={`Delivered, at attempt ${update.webhook_attempt_count}`}
        at={update.delivered_webhook_at}
        detail={acceptedAfter(update)}
      />
    );
  }
  if (update.next_retry_at !== null) {
    return (
      <Step icon={<SendIcon size={16} />} color="orange" title="Next attempt" at={update.next_retry_at} />
    );
  }
  if (update.state === "failed") {
    return <Step icon={<AlertIcon size={16} />} color="red" title="Gave up; replay to retry" />;
  }
  if (update.reading !== undefined) return <ReadingStep reading={update.reading} />;
  if (update.state === "skipped") {
    return <Step icon={<InboxIcon size={16} />} color="gray" title="Passed over when the webhook was set" />;
  }
  return <Step icon={<SendIcon size={16} />} color="gray" title="Waiting to be sent" />;
}

/** Without a webhook. */
function ReadingStep({ reading }: { reading: NonNullable<OwnerUpdate["reading"]> }) {
  if (reading === "handled") {
    return (
      <Step
        icon={<CheckIcon size={16} />}
        color="teal"
        title="Read and handled by every consumer of the bot"
      />
    );
  }
  return (
    <Step
      icon={<InboxIcon size={16} />}
      color="gray"
      title={
        reading === "unknown" ? "Kept to be read by polling" : "Not handled yet by every consumer of the bot"
      }
    >
      {reading === "unknown" && (
        <Text size="sm" c="dimmed">
          Whether it was read is not known: the bot has no consumer, and polls without the name of one leave
          no trace.
        </Text>
      )}
    </Step>
  );
}

interface StepProps {
  icon: ReactNode;
  title: string;
  color?: string;
  at?: string;
  detail?: string | undefined;
  children?: ReactNode;
}

function Step({ icon, title, color = "indigo", at, detail, children }: StepProps) {
  return (
    <Timeline.Item
      title={title}
      bullet={
        <ThemeIcon size={28} radius="xl" variant="light" color={color}>
          {icon}
        </ThemeIcon>
      }
    >
      {at !== undefined && (
        <Text size="sm" c="dimmed">
          <Moment at={at} as="both" />
          {detail && `, ${detail}`}
        </Text>
      )}
      {children}
    </Timeline.Item>
  );
}

/** For an accepted attempt only its beginning and end are stored. */
function acceptedAfter({ last_attempted_at: began, delivered_webhook_at: ended }: OwnerUpdate) {
  const ms = began === undefined || ended === undefined ? -1 : Date.parse(ended) - Date.parse(began);
  return ms < 0 ? undefined : `accepted after ${milliseconds(ms)}`;
}

function milliseconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
