import { describe, expect, it } from "vitest";
import { isPublicAddress } from "#botyard/domain/delivery/public-address.js";

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.215.14",
  "2606:4700::1111",
  "2a00:1450:4001:80b::200e",
  "::ffff:8.8.8.8",
];
const NOT_PUBLIC = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::808:808",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "64:ff9b::7f00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
];

describe("an address of the public internet", () => {
  it.each(PUBLIC)("is %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(NOT_PUBLIC)("is not %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["2130706433", "0x7f000001", "127.1", "0177.0.0.1"])(
    "is not %s, however it is spelled",
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(["", "localhost", "example.com", "1.2.3.4.5", "1.2.3.4:80", "[::1]"])(
    "is not %o, no address",
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});
