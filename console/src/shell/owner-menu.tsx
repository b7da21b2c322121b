import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ComponentType, useEffect, useRef } from "react";
import { useSession } from "../session.js";
import { AccountIcon, DeviceIcon, DocsIcon, MoonIcon, SignOutIcon, SunIcon } from "../ui/icons.js";
import { Moment } from "../ui/moment.js";
import { OwnerButton } from "./owner-button.js";

const SCHEMES: readonly [MantineColorScheme, string, ComponentType][] = [
  ["light", "Light", SunIcon],
  ["dark", "Dark", MoonIcon],
  ["auto", "As the device", DeviceIcon],
];

export interface OwnerMenuProps {
  onSignOut: () => void;
}

/** The signed-in owner, the theme, and signing out. It is open at first, because the click that loads it also opens it. */
export function OwnerMenu({ onSignOut }: OwnerMenuProps) {
  const { owner } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // This button replaces the one that was clicked, so it takes over the focus, which the menu returns to it.
    button.current?.focus();
    button.current?.click();
  }, []);
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <OwnerButton ref={button} />
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
        <Menu.Item leftSection={<SignOutIcon />} onClick={onSignOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
