/** Whose owner tokens are accepted: those signed with a shared secret, with one private key, or with a key of a key set. */
export type OwnerTrust =
  | { kind: "secret"; secret: Uint8Array }
  | { kind: "publicKey"; pem: string }
  | { kind: "jwks"; url: URL };
