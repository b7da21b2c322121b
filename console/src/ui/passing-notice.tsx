import { Alert } from "@mantine/core";
import classes from "./passing-notice.module.css";

interface PassingNoticeProps {
  title: string;
  icon?: React.ReactNode;
  color?: "orange" | "blue";
  children: React.ReactNode;
}

/** A notice that comes and goes by itself: it stays at the bottom of the window, so that nothing on the page moves. */
export function PassingNotice({ title, icon, color = "orange", children }: PassingNoticeProps) {
  return (
    <div className={classes["notice"]}>
      <Alert role="status" color={color} title={title} icon={icon}>
        {children}
      </Alert>
    </div>
  );
}
