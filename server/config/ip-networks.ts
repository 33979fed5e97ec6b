// Parses networks in CIDR notation, separated by commas. `any` stands for all addresses.
import { isIP } from 'node:net'
import { ValueError } from './launch-error.ts'

export type IpNetwork = {
  /** 4 or 16 bytes; bits beyond the prefix are zero. */
  readonly address: Uint8Array
  readonly prefixBits: number
}

/** null means that no networks are listed. */
export type IpNetworks = 'any' | readonly IpNetwork[] | null

/** @throws ValueError */
export function parseIpNetworks(items: readonly string[]): IpNetworks {
  const networks: IpNetwork[] = []
  let any = false
  for (const item of items.map((text) => text.trim())) {
    if (item === 'any') any = true
    else networks.push(parseNetwork(item))
  }
  if (any) return 'any'
  return networks.length === 0 ? null : networks
}

function parseNetwork(text: string): IpNetwork {
  const slash = text.indexOf('/')
  const address = addressBytes(slash < 0 ? text : text.slice(0, slash))
  if (address === null) {
    throw new ValueError(
      `\`${text}\` is not a network: expected an address, \`address/bits\` or \`any\``,
    )
  }
  const bitsMax = address.length * 8
  const bits = slash < 0 ? String(bitsMax) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax) {
    throw new ValueError(`\`${text}\` needs a prefix of 0 to ${bitsMax} bits`)
  }
  const prefixBits = Number(bits)
  if (!isZeroFrom(address, prefixBits)) {
    throw new ValueError(`\`${text}\` has bits set after its prefix`)
  }
  return { address, prefixBits }
}

/** Returns true if all bits from `start` on are zero. */
function isZeroFrom(address: Uint8Array, start: number): boolean {
  for (let bit = start; bit < address.length * 8; bit++) {
    if ((address[bit >> 3]! & (0x80 >> (bit & 7))) !== 0) return false
  }
  return true
}

/**
 * Returns the bytes of an address, or null if the text is not one. Zones are not allowed in a
 * network.
 */
export function addressBytes(text: string): Uint8Array | null {
  const family = text.includes('%') ? 0 : isIP(text)
  if (family === 4) return Uint8Array.from(text.split('.'), Number)
  if (family === 0) return null
  const [head = '', tail] = withoutDotted(text).split('::')
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const middle = new Array<number>(8 - before.length - after.length).fill(0)
  return Uint8Array.from(
    [...before, ...middle, ...after].flatMap((group) => [group >> 8, group & 0xff]),
  )
}

const groups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))

/** Rewrites the last 4 bytes of an address from dotted IPv4 notation to groups. */
const withoutDotted = (text: string): string =>
  text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a: string, b: string, c: string, d: string) => {
    const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16)
    return `${group(a, b)}:${group(c, d)}`
  })
