import type { ReactNode } from "react";

/** Icons of 20 by 20 with a line width of 1.6. Decorative: use them beside text or inside something with a label. */
function icon(shape: ReactNode) {
  return function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {shape}
      </svg>
    );
  };
}

export const PlusIcon = icon(<path d="M10 4v12M4 10h12" />);
export const CheckIcon = icon(<path d="M4 10.5l4 4 8-9" />);
export const CopyIcon = icon(
  <>
    <rect x="7" y="7" width="9.5" height="9.5" rx="2" />
    <path d="M4.5 12.5A1.5 1.5 0 0 1 3.5 11V5A1.5 1.5 0 0 1 5 3.5h6A1.5 1.5 0 0 1 12.5 4.5" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="9" cy="9" r="5.2" />
    <path d="M13 13l3.8 3.8" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="10" cy="10" r="3.3" />
    <path d="M10 2.2v1.6M10 16.2v1.6M2.2 10h1.6M16.2 10h1.6M4.5 4.5l1.1 1.1M14.4 14.4l1.1 1.1M4.5 15.5l1.1-1.1M14.4 5.6l1.1-1.1" />
  </>,
);
export const MoonIcon = icon(<path d="M16.4 12.1A6.8 6.8 0 0 1 7.9 3.6a6.8 6.8 0 1 0 8.5 8.5z" />);
export const DeviceIcon = icon(
  <>
    <rect x="2.8" y="4" width="14.4" height="9.4" rx="1.5" />
    <path d="M7.5 16.5h5M10 13.5v3" />
  </>,
);
export const SignOutIcon = icon(
  <path d="M8 3.5H5A1.5 1.5 0 0 0 3.5 5v10A1.5 1.5 0 0 0 5 16.5h3M12.5 13.5L16 10l-3.5-3.5M16 10H8" />,
);
export const BotIcon = icon(
  <>
    <rect x="3.5" y="6.5" width="13" height="9.5" rx="2.5" />
    <path d="M10 6.5V3.5M7.5 10.6v1.2M12.5 10.6v1.2" />
  </>,
);
export const ChannelIcon = icon(<path d="M7.8 3.5L6.2 16.5M13.8 3.5l-1.6 13M3.5 7.5h13.3M3.2 12.5h13.3" />);
export const AlertIcon = icon(
  <>
    <path d="M10 3.2l7.2 12.6H2.8z" />
    <path d="M10 8v3.6M10 13.6v.1" />
  </>,
);
export const AccountIcon = icon(
  <>
    <circle cx="10" cy="7" r="3" />
    <path d="M4 16.5c.8-3 3-4.5 6-4.5s5.2 1.5 6 4.5" />
  </>,
);
export const ChevronIcon = icon(<path d="M6 8l4 4 4-4" />);
export const DocsIcon = icon(<path d="M5 3.5h7l3.5 3.5v9.5H5zM11.5 3.5v4h4M7.5 11h5M7.5 13.8h3.5" />);
export const TrashIcon = icon(
  <path d="M4 5.5h12M8 5.5V3.8h4v1.7M5.5 5.5l.8 11h7.4l.8-11M8.5 8.7v4.8M11.5 8.7v4.8" />,
);
export const InboxIcon = icon(<path d="M3.5 11.5L5.5 4.5h9l2 7v4h-13zM3.5 11.5h4l1 2h3l1-2h4" />);
export const ReplayIcon = icon(<path d="M4 10a6 6 0 1 0 2-4.5M4.2 3v3.4h3.4" />);
export const SendIcon = icon(<path d="M3 10h9M8.5 5.5L13 10l-4.5 4.5M17 4v12" />);
export const EditIcon = icon(<path d="M4 16l.8-3.4L13 4.4l2.6 2.6-8.2 8.2zM11.4 6l2.6 2.6" />);
export const PauseIcon = icon(<path d="M7 4.5v11M13 4.5v11" />);
export const PlayIcon = icon(<path d="M6.5 4l9 6-9 6z" />);
