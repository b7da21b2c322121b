/** The model of a bot. It keeps deleted things too, because the walk tries them as well. */
export interface Bot {
  id: string;
  owner: number;
  token: string;
  oldTokens: string[];
  /** The channels that it is attached to, and its role in each. */
  channels: Map<string, string>;
  isDisabled: boolean;
  isGone: boolean;
}

export interface Channel {
  id: string;
  owner: number;
  posts: Post[];
  isGone: boolean;
  /** Of a direct channel: the only bot that may be attached. */
  directBot?: Bot;
}

/** A post, also one that was deleted. */
export interface Post {
  id: string;
  /** Undefined for the owner of the channel. */
  author: Bot | undefined;
  isGone: boolean;
}
