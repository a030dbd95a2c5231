/**
 * Determines which hosts are on a private network, including this computer. The signing service's pages are public;
 * they mustn't reach the office's router, printers, cameras and intranet through us.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Returns a host's addresses, or `elsewhere` if a proxy resolves the name and this computer never connects to it. */
export type Lookup = (hostname: string) => Promise<readonly string[] | 'elsewhere'>

/** Non-public IPv4 addresses (IANA's special-purpose registry, plus multicast and broadcast). */
const NOT_PUBLIC_V4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4]
])

/** All public IPv6 addresses are in this range; loopback, link-local, unique-local and multicast aren't. */
const GLOBAL_V6 = blockList('ipv6', [['2000::', 3]])

/** Documentation, Teredo (which embeds an IPv4 address), ORCHID and other registered exceptions within `2000::/3`. */
const NOT_PUBLIC_V6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20]
])

/** Names that are never public: reserved by RFC 6761, 6762, 8375 and ICANN, or commonly used inside offices. */
const PRIVATE_ENDINGS = [
  'localhost',
  'local',
  'internal',
  'home.arpa',
  'lan',
  'intranet',
  'corp',
  'home',
  'private',
  'localdomain'
]

/**
 * Returns whether a host, as written in a URL, is plainly on a private network. A public name may still resolve to one:
 * see `blockReason`.
 * @param hostname as in `URL.hostname`, which has already resolved decimal, octal and hexadecimal spellings.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase()
  if (host === '') return true
  if (isIPv4(host) || isIPv6(host)) return isPrivateAddress(host)
  // A name without a dot is resolved within the office's own domain.
  if (!host.includes('.')) return true
  return PRIVATE_ENDINGS.some((ending) => host.endsWith(`.${ending}`))
}

/** Returns whether an IP address is not public. Anything that isn't an address counts as private. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return NOT_PUBLIC_V4.check(address, 'ipv4')
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return true
  const groups = groupsOf(plain)
  const embedded = embeddedIPv4(groups)
  if (embedded) return NOT_PUBLIC_V4.check(embedded, 'ipv4')
  return !GLOBAL_V6.check(plain, 'ipv6') || NOT_PUBLIC_V6.check(plain, 'ipv6')
}

/**
 * Returns why an address mustn't be reached; undefined if its host and every address it resolves to are public.
 * @param lookup resolves a name; a rejection means `not-found`.
 */
export async function blockReason(url: URL, lookup: Lookup): Promise<'private-network' | 'not-found' | undefined> {
  if (isPrivateHost(url.hostname)) return 'private-network'
  if (isIPv4(url.hostname) || url.hostname.startsWith('[')) return undefined
  try {
    const addresses = await lookup(url.hostname)
    if (addresses === 'elsewhere') return undefined
    if (addresses.length === 0) return 'not-found'
    return addresses.some(isPrivateAddress) ? 'private-network' : undefined
  } catch {
    return 'not-found'
  }
}

/** The IPv4 address embedded in a mapped, translated (NAT64) or 6to4 address. */
function embeddedIPv4(groups: number[]): string | undefined {
  const last = dotted(groups[6] ?? 0, groups[7] ?? 0)
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  if (isZero(0, 5) && groups[5] === 0xffff) return last
  if (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) return last
  if (groups[0] === 0x64 && groups[1] === 0xff9b && isZero(2, 6)) return last
  if (groups[0] === 0x2002) return dotted(groups[1] ?? 0, groups[2] ?? 0)
  return undefined
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const first = numbers(head)
  const rest = tail === undefined ? [] : numbers(tail)
  return [...first, ...Array<number>(8 - first.length - rest.length).fill(0), ...rest]
}

function numbers(groups: string): number[] {
  return groups === '' ? [] : groups.split(':').map((group) => Number.parseInt(group, 16))
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function blockList(family: 'ipv4' | 'ipv6', networks: [address: string, prefix: number][]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family)
  return list
}
