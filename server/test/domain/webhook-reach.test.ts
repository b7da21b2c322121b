import { describe, expect, it } from "vitest";
import { mayReachAddress, refusalOfHost } from "#botyard/domain/delivery/webhook-reach.js";
import { ANYWHERE, PUBLIC_ONLY } from "../support/senders.js";

describe("a host that is private by its name", () => {
  it.each([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "127.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
  ])("is %s", (host) => {
    expect(refusalOfHost(PUBLIC_ONLY, host)).toBe("address");
    expect(refusalOfHost(ANYWHERE, host)).toBeUndefined();
  });

  it.each(["example.com", "localhost.example.com", "mylocalhost", "8.8.8.8", "[2606:4700::1111]"])(
    "is not %s",
    (host) => {
      expect(refusalOfHost(PUBLIC_ONLY, host)).toBeUndefined();
    },
  );
});

describe("networks that are allowed", () => {
  const reach = { ...PUBLIC_ONLY, networks: ["10.1.0.0/16", "fd12::/48"] };

  it.each(["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "fd12::1", "8.8.8.8"])(
    "let %s be reached",
    (address) => {
      expect(mayReachAddress(reach, address)).toBe(true);
    },
  );

  it.each(["10.2.0.0", "10.0.255.255", "127.0.0.1", "fd12:0:1::1", "::1", "localhost", ""])(
    "not %s",
    (address) => {
      expect(mayReachAddress(reach, address)).toBe(false);
    },
  );

  it("let localhost be set only when it is among them", () => {
    expect(refusalOfHost(reach, "localhost")).toBe("address");
    expect(refusalOfHost({ ...reach, networks: ["127.0.0.0/8"] }, "localhost")).toBeUndefined();
  });
});

describe("hosts that are listed", () => {
  const reach = { ...PUBLIC_ONLY, hosts: ["hooks.example.com", "*.example.org", "8.8.8.8", "10.0.0.1"] };

  it.each(["hooks.example.com", "HOOKS.example.com.", "a.example.org", "a.b.example.org", "8.8.8.8"])(
    "are %s",
    (host) => {
      expect(refusalOfHost(reach, host)).toBeUndefined();
    },
  );

  it.each(["example.com", "x.hooks.example.com", "example.org", "evilexample.org", "8.8.4.4", "localhost"])(
    "are not %s",
    (host) => {
      expect(refusalOfHost(reach, host)).toBe("host");
    },
  );

  it("still need a public address", () => {
    expect(refusalOfHost(reach, "10.0.0.1")).toBe("address");
  });
});
