import {
  Group,
  type MantineColorScheme,
  Menu,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { endSession, useSession } from "../session.js";
import {
  AccountIcon,
  ChevronIcon,
  DeviceIcon,
  DocsIcon,
  MoonIcon,
  SignOutIcon,
  SunIcon,
} from "../ui/icons.js";
import { Moment } from "../ui/moment.js";
import classes from "./owner-menu.module.css";

const SCHEMES: readonly [MantineColorScheme, string, ComponentType][] = [
  ["light", "Light", SunIcon],
  ["dark", "Dark", MoonIcon],
  ["auto", "As the device", DeviceIcon],
];

/** The signed-in owner, the theme, and signing out. */
export function OwnerMenu() {
  const { owner } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    endSession();
    await navigate({ to: "/sign-in" });
    queryClient.clear();
  };
  const name = owner?.name ?? "";
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton p={4}>
          <Group gap={8} wrap="nowrap">
            <VisuallyHidden>Signed in as</VisuallyHidden>
            <span className={classes["initial"]} aria-hidden="true">
              {name.slice(0, 1).toUpperCase()}
            </span>
            <Text size="sm" truncate className={classes["name"]}>
              {name}
            </Text>
            <ChevronIcon size={16} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as {owner?.userId}
          {owner?.expiresAt !== undefined && (
            <>
              <br />
              Session ends <Moment at={new Date(owner.expiresAt).toISOString()} />
            </>
          )}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
        >
          {SCHEMES.map(([value, label, Icon]) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<AccountIcon />}>
          Your data
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<DocsIcon />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<SignOutIcon />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
