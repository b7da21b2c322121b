import { Image } from "@mantine/core";
import iconAddress from "./icon.svg";

export function Logo({ size = 30 }: { size?: number }) {
  return <Image src={iconAddress} alt="" w={size} h={size} />;
}
