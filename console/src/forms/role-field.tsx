import type { BotRole } from "@botyard/sdk";
import { NativeSelect, type NativeSelectProps } from "@mantine/core";

/** What a bot may do in a channel, in words. */
export const ROLE_WORDS: Readonly<Record<BotRole, string>> = {
  moderator: "moderates",
  member: "hears and posts",
  reader: "hears only",
};

const ROLES = Object.entries(ROLE_WORDS).map(([value, label]) => ({ value: value as BotRole, label }));

interface RoleFieldProps extends Omit<NativeSelectProps, "data" | "value" | "onChange"> {
  value: BotRole;
  onChange: (role: BotRole) => void;
}

/** The role of a bot in a channel. */
export function RoleField({ value, onChange, ...looks }: RoleFieldProps) {
  return (
    <NativeSelect
      data={ROLES}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as BotRole)}
      {...looks}
    />
  );
}
