/** URLs that could send a service into its own network. */

/** Private addresses as hosts, in every spelling that some parser accepts. */
const LITERAL_HOSTS = `
  127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 127.0.0.1. 0.0.0.0 0 0.1 0x0 00 000000.0 0.0.0.0.
  2130706433 0x7f000001 0x7F000001 017700000001 0x7f.1 0x7f.0.0.1 0177.0.0.1 0177.1 0177.0x0.0.0x1 127.0x1 127.0.0x1
  127.00.00.01 0x7f.0x0.0x0.0x1 00000000000000000177.0.0.1 0x00000000007f.1
  10.0.0.1 10.1 10.255.255.255 167772161 0xa.0.0.1 012.0.0.1 0x0a000001 0xA000001
  172.16.0.1 172.31.255.255 0xac100001 2886729729 172.16.1 192.168.0.1 192.168.1 192.168.257 3232235521 0xc0a80001
  0300.0250.0.1 0xc0.0xa8.1 169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0xa9.254.0251.0xfe
  0251.0376.0251.0376 169.16689662 169.254.0.1 169.254.170.2 100.64.0.1 100.100.100.200 100.127.255.255
  192.0.0.1 192.0.0.192 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 192.88.99.1 192.31.196.1
  192.52.193.1 192.175.48.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295 0xffffffff 037777777777
  １２７.０.０.１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.⓪.⓪.① ⑯⑨.②⑤④.⑯⑨.②⑤④ 𝟏𝟐𝟕.𝟎.𝟎.𝟏 ０ｘ７ｆ.1 1%327.0.0.1 %31%32%37.0.0.1
  127.0.0.%31 127%2e0%2e0%2e1 1\u00ad27.0.0.1
  [::1] [::] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::0.0.0.1] [0::1]
  [::127.0.0.1] [::7f00:1] [::10.0.0.1] [::169.254.169.254] [::8.8.8.8]
  [::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:0001] [::ffff:10.0.0.1] [::ffff:a9fe:a9fe]
  [::ffff:169.254.169.254] [::ffff:192.168.1.1] [::ffff:0.0.0.0] [::ffff:0:127.0.0.1] [::ffff:0:7f00:1] [::ffff:0:8.8.8.8]
  [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b::8.8.8.8] [64:ff9b:1::10.0.0.1] [64:ff9b:1::1]
  [2002:7f00:1::] [2002:7f00:0001::1] [2002:a9fe:a9fe::] [2002:c0a8:101::1] [2002:808:808::1]
  [2001::1] [2001:0:7f00:1::] [2001:0000:4136:e378:8000:63bf:3fff:fdd2] [2001:db8::1] [2001:2::1] [2001:10::1] [2001:20::1]
  [3fff::1] [5f00::1] [100::1] [100:0:0:1::1] [200::1] [400::1] [1000::1] [1fff::1] [4000::1] [8000::1] [a000::1] [e000::1]
  [f000::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff::1] [fe80::1] [fe80::a9fe:a9fe] [febf::1] [fec0::1] [feff::1]
  [ff02::1] [ff0e::1] [ff05::1:3] [FE80::1] [FD12:3456:789A::1]
`;

/** Names of this machine, in spellings that a URL parser normalises to the same form. */
const LOCAL_NAMES = `
  localhost LOCALHOST localhost. LocalHost a.localhost a.b.localhost. local%68ost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ｌｏｃａｌｈｏｓｔ loc\u00adalhost
  𝐥𝐨𝐜𝐚𝐥𝐡𝐨𝐬𝐭 localhost。
`;

const words = (text: string): string[] => text.split(/[ \n\r\t]+/).filter((word) => word !== "");

/** Valid URLs whose hosts are recognisably private. */
export const PRIVATE_URLS: readonly string[] = [...words(LITERAL_HOSTS), ...words(LOCAL_NAMES)].map(
  (host, index) => `${index % 2 ? "https" : "http"}://${host}/hook`,
);

/** Invalid webhook URLs, some of which other parsers accept. */
export const MALFORMED_URLS: readonly string[] = [
  ...words(`
    http:// http:/// http://? http://# https:// //127.0.0.1/ 127.0.0.1 localhost:80 /hook hook http://[ http://[] http://[::1
    http://::1/ http://[::1]x/ http://[1.2.3.4]/ http://[fe80::1%25eth0]/ http://[fe80::1%eth0]/ http://[::ffff:127.1]/
    http://256.256.256.256/ http://1.2.3.4.5/ http://0x100000000/ http://4294967296/ http://127.0.0.08/ http://09.0.0.1/
    http://127.0.0.1:65536/ http://127.0.0.1:-1/ http://127.0.0.1:x/ http://a:b:c/
    http://user@127.0.0.1/ http://user:pass@127.0.0.1/ http://example.com@127.0.0.1/ http://127.0.0.1@example.com/
    http://:@example.com/ https://example.com:80@127.0.0.1/ http://example.com%40127.0.0.1/ http://a%00b/ http://a%0ab/
    http://exam%20ple.com/ http://exa<mple/ http://a^b/ http://a|b/ http://%zz/ http://xn--/ http://a..%00/
    http://example.com/#f http://example.com#@127.0.0.1/ http://example.com/hook#
    file:///etc/passwd ftp://127.0.0.1/ gopher://127.0.0.1:6379/_INFO dict://127.0.0.1:11211/ ldap://127.0.0.1/ javascript:1
    data:text/plain,x ws://127.0.0.1/ wss://127.0.0.1/ unix:/var/run/docker.sock http+unix://%2Fvar%2Frun%2Fdocker.sock/
    blob:http://127.0.0.1/ jar:http://127.0.0.1!/ view-source:http://127.0.0.1/ about:blank mailto:a@b.c
  `),
  "http://127.0.0.1 .example.com/",
  "http://exam\tple.com/",
  "http://example.com/\r\nX-Injected: 1",
  " http://example.com/",
  "http://example.com/ ",
  "http://exam\u0000ple.com/",
  "\ufeffhttp://example.com/",
  "http://\ufefflocalhost/",
  `http://example.com/${"x".repeat(2048)}`,
];

/** Names that look public but resolve to these private addresses. */
export const TREACHEROUS_NAMES: Readonly<Record<string, readonly string[]>> = {
  "loopback.example": ["127.0.0.1"],
  "loopback6.example": ["::1"],
  "unspecified.example": ["0.0.0.0"],
  "unspecified6.example": ["::"],
  "metadata.example": ["169.254.169.254"],
  "metadata6.example": ["fd00:ec2::254"],
  "ten.example": ["10.20.30.40"],
  "carrier.example": ["100.64.1.1"],
  "multicast.example": ["239.1.2.3"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "compatible.example": ["::127.0.0.1"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "six-to-four.example": ["2002:7f00:1::1"],
  "teredo.example": ["2001:0:7f00:1::1"],
  "link-local.example": ["fe80::1"],
  "site-local.example": ["fec0::1"],
  "one-of-two.example": ["93.184.216.34", "127.0.0.1"],
  "last-of-many.example": ["1.1.1.1", "8.8.8.8", "9.9.9.9", "10.0.0.1"],
  "public-and-loopback6.example": ["93.184.216.34", "::1"],
  "127.0.0.1.nip.example": ["127.0.0.1"],
  "xn--lcalhost-u4a.example": ["127.0.0.1"],
};
