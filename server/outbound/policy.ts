// Which addresses may be called. Addresses of the public internet may be; those of a machine, a
// private network or documentation may not, unless a listed network contains them. Multicast is not
// checked here.
import { addressBytes, type IpNetwork, type IpNetworks } from '../config/index.ts'

/** Ranges that are not global, as `address/bits`. */
const LOCAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
]
/** Exceptions within these ranges that are global. */
const GLOBAL_4 = ['192.0.0.9/32', '192.0.0.10/32']
const LOCAL_6 = [
  '::/128',
  '::1/128',
  '::ffff:0:0/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
]
const GLOBAL_6 = [
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
]
const MAPPED = '::ffff:0:0/96'
/**
 * IPv6 networks whose addresses end in an IPv4 address to which a gateway or the system may
 * forward. 6to4, Teredo, `64:ff9b:1::/48` and mapped addresses are local as a whole.
 */
const EMBEDDING = ['64:ff9b::/96', '::/96', '::ffff:0:0:0/96']

type Ranges = {
  readonly local4: readonly IpNetwork[]
  readonly global4: readonly IpNetwork[]
  readonly local6: readonly IpNetwork[]
  readonly global6: readonly IpNetwork[]
  readonly mapped: IpNetwork
  readonly embedding: readonly IpNetwork[]
}

/** Parsed with the first call: Node is slow with its first IPv6 address. */
let parsed: Ranges | null = null

function ranges(): Ranges {
  parsed ??= {
    local4: LOCAL_4.map(network),
    global4: GLOBAL_4.map(network),
    local6: LOCAL_6.map(network),
    global6: GLOBAL_6.map(network),
    mapped: network(MAPPED),
    embedding: EMBEDDING.map(network),
  }
  return parsed
}

/** `literal`: the address is in the URL, where an IPv4 address written as IPv6 counts as IPv4. */
export function mayCall(text: string, networks: IpNetworks, literal: boolean): boolean {
  if (networks === 'any') return true
  // A zone selects the network interface and is not part of the address.
  const bytes = addressBytes(text.split('%')[0]!)
  if (bytes === null) return false
  const address = literal && holds(ranges().mapped, bytes) ? bytes.subarray(12) : bytes
  const isListed = (one: Uint8Array): boolean =>
    (networks ?? []).some((listed) => holds(listed, one))
  if (isListed(address)) return true
  if (!isGlobal(address)) return false
  if (!ranges().embedding.some((embedding) => holds(embedding, address))) return true
  const inside = address.subarray(12)
  return isGlobal(inside) || isListed(inside)
}

function isGlobal(address: Uint8Array): boolean {
  const { local4, global4, local6, global6 } = ranges()
  const [local, global] = address.length === 4 ? [local4, global4] : [local6, global6]
  const isIn = (one: IpNetwork): boolean => holds(one, address)
  return !local.some(isIn) || global.some(isIn)
}

function holds({ address, prefixBits }: IpNetwork, candidate: Uint8Array): boolean {
  if (address.length !== candidate.length) return false
  const whole = prefixBits >> 3
  for (let i = 0; i < whole; i++) if (address[i] !== candidate[i]) return false
  const rest = prefixBits & 7
  if (rest === 0) return true
  const mask = (0xff << (8 - rest)) & 0xff
  return (address[whole]! & mask) === (candidate[whole]! & mask)
}

function network(text: string): IpNetwork {
  const [address = '', bits = ''] = text.split('/')
  return { address: addressBytes(address)!, prefixBits: Number(bits) }
}
