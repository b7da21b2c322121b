/** Who or what keeps a bot disabled: its owner, the platform, or that its owner is suspended. */
export const DISABLERS = ["owner", "platform", "suspension"] as const;
export type Disabler = (typeof DISABLERS)[number];

/**
 * Their bits in a bot's `disabled_by`. They only count while `disabled_at` is set, which is all that versions before these know of:
 * what such a version disabled has no bit. A bot is enabled when none is left.
 */
export const BY_OWNER = 1;
export const BY_PLATFORM = 2;
export const BY_SUSPENSION = 4;
export const DISABLER_BITS: Readonly<Record<Disabler, number>> = {
  owner: BY_OWNER,
  platform: BY_PLATFORM,
  suspension: BY_SUSPENSION,
};

export function disablerBit({ isPlatform }: { isPlatform?: boolean | undefined }): number {
  return isPlatform ? BY_PLATFORM : BY_OWNER;
}
