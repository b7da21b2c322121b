import { type ComponentType, useState } from "react";
import { loadCode } from "../api/load-code.js";
import { OwnerButton } from "./owner-button.js";
import type { OwnerMenuProps } from "./owner-menu.js";

const load = () => import("./owner-menu.js");

/** The owner's button. The menu, 20 kB of code with what it needs, is loaded when somebody is about to open it. */
export function LazyOwnerMenu(props: OwnerMenuProps) {
  const [Menu, setMenu] = useState<ComponentType<OwnerMenuProps>>();
  if (Menu) return <Menu {...props} />;
  const preload = () => void load().catch(() => {});
  const open = async () => {
    const { OwnerMenu } = await loadCode(load);
    setMenu(() => OwnerMenu);
  };
  return (
    <OwnerButton
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={() => void open()}
    />
  );
}
