import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ReactNode, Ref } from "react";

interface LinkParts {
  ref?: Ref<HTMLAnchorElement>;
  children?: ReactNode;
}

/** Mantine's links with the router's types: the compiler checks the URLs. */
export const AnchorLink = createLink((props: AnchorProps & LinkParts) => <Anchor {...props} />);
export const ButtonLink = createLink((props: ButtonProps & LinkParts) => <Button component="a" {...props} />);
