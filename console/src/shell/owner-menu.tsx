import { Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { currentOwner, endSession } from "../session.js";
import { CheckIcon, ChevronIcon, DeviceIcon, DocsIcon, MoonIcon, SignOutIcon, SunIcon } from "../ui/icons.js";
import { Moment } from "../ui/moment.js";

const SCHEMES = [
  { value: "light", label: "Light", Icon: SunIcon },
  { value: "dark", label: "Dark", Icon: MoonIcon },
  { value: "auto", label: "As the device", Icon: DeviceIcon },
] as const;

/** Who is signed in, light or dark, and the way out. */
export function OwnerMenu() {
  const owner = currentOwner();
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
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Signed in as ${name}: theme, sign out`} p={4}>
          <Group gap={8} wrap="nowrap">
            <Avatar size={28} radius="xl" color="indigo" name={name} alt="" />
            <Text size="sm" visibleFrom="sm" maw={180} truncate>
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
        {SCHEMES.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon />}
            rightSection={colorScheme === value ? <CheckIcon size={16} /> : undefined}
            onClick={() => setColorScheme(value)}
            closeMenuOnClick={false}
            role="menuitemradio"
            aria-checked={colorScheme === value}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
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
