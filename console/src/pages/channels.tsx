import type { Channel } from "@botyard/sdk";
import { Box, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.js";
import { CreateChannelDialog } from "../forms/create-channel.js";
import { ChannelIcon, PlusIcon, SearchIcon } from "../ui/icons.js";
import { AnchorLink } from "../ui/links.js";
import { Loaded } from "../ui/loaded.js";
import { Moment } from "../ui/moment.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { Page } from "../ui/page.js";
import classes from "../ui/rows.module.css";
import { matches, SearchField } from "../ui/search-field.js";

/** With fewer channels, the search field is hidden. */
const SEARCH_FROM_CHANNELS = 8;

/** All channels of the owner. */
export function ChannelsPage() {
  const channels = useQuery(queries.channels());
  const isCreating = useSearch({ from: "/signed-in/channels" }).create !== undefined;
  const navigate = useNavigate({ from: "/channels" });
  const open = (isOpen: boolean) =>
    void navigate({ search: isOpen ? { create: "channel" } : {}, replace: true });
  const [search, setSearch] = useState("");
  const create = (
    <Button leftSection={<PlusIcon />} onClick={() => open(true)}>
      Create a channel
    </Button>
  );
  return (
    <Page title="Channels" actions={channels.data?.length ? create : undefined}>
      <Loaded query={channels}>
        {(all) => {
          if (all.length === 0) {
            return (
              <NothingYet icon={<ChannelIcon />} title="No channels yet" action={create}>
                A channel is where posts appear. Bots that are attached to it receive each of them as an
                update, and may post there themselves.
              </NothingYet>
            );
          }
          const found = all.filter(({ slug, title }) => matches(search, slug, title));
          return (
            <>
              {all.length >= SEARCH_FROM_CHANNELS && (
                <SearchField label="Search channels" value={search} onChange={setSearch} />
              )}
              {found.length === 0 ? (
                <NothingYet icon={<SearchIcon />} title={`No channel is called “${search.trim()}”`}>
                  Try part of the name.
                </NothingYet>
              ) : (
                <Paper withBorder>
                  <Stack component="ul" className={classes["rows"]} gap={0}>
                    {found.map((channel) => (
                      <ChannelRow key={channel.id} channel={channel} />
                    ))}
                  </Stack>
                </Paper>
              )}
            </>
          );
        }}
      </Loaded>
      <CreateChannelDialog opened={isCreating} onClose={() => open(false)} />
    </Page>
  );
}

function ChannelRow({ channel }: { channel: Channel }) {
  return (
    <Group component="li" justify="space-between" gap="xs" px="md" py="sm">
      <Box miw={0}>
        <AnchorLink to="/channels/$channelId" params={{ channelId: channel.id }} fw={600}>
          {channel.title}
        </AnchorLink>
        <Text size="sm" c="dimmed" truncate>
          #{channel.slug}
          {channel.description && ` · ${channel.description}`}
        </Text>
      </Box>
      <Text size="sm" c="dimmed">
        {channel.last_activity_at ? (
          <>
            last post <Moment at={channel.last_activity_at} />
          </>
        ) : (
          "no post yet"
        )}
      </Text>
    </Group>
  );
}
