// Chooses the encoding of an answer. The client's weights decide; at equal weight Brotli comes
// before gzip before deflate.
const PREFERRED = ['br', 'gzip', 'deflate'] as const
export type Encoding = (typeof PREFERRED)[number]

/**
 * Headers in the cache. Clients send few different ones, and varied headers must not grow the
 * table.
 */
const CACHED_MAX = 64
const LENGTH_MAX = 256
const remembered = new Map<string, Encoding | null>()

/**
 * Returns true if the header names a single encoding: such a client gets even small answers in it.
 */
export const acceptsOnlyOne = (header: string | undefined): boolean =>
  header !== undefined && ONE_ENCODING.has(header.trim().toLowerCase())

const ONE_ENCODING: ReadonlySet<string> = new Set(PREFERRED)

/** Returns null if the answer goes out uncompressed. */
export function encodingFor(header: string | undefined): Encoding | null {
  if (header === undefined || header.length > LENGTH_MAX) return null
  const cached = remembered.get(header)
  if (cached !== undefined) return cached
  const found = negotiate(header)
  if (remembered.size >= CACHED_MAX) remembered.clear()
  remembered.set(header, found)
  return found
}

function negotiate(header: string): Encoding | null {
  const weights = new Map<string, number>()
  for (const item of header.split(',')) {
    const [name, ...parameters] = item.split(';')
    const coding = name!.trim().toLowerCase()
    if (coding !== '') weights.set(coding, weightOf(parameters))
  }
  const others = weights.get('*') ?? 0
  let best: Encoding | null = null
  let bestWeight = weights.get('identity') ?? 0
  for (const encoding of PREFERRED) {
    const weight = weights.get(encoding) ?? others
    // If the client accepts both equally, compression is preferred to plain text.
    if (best === null ? weight > 0 && weight >= bestWeight : weight > bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  return best
}

/** Returns the `q=0.5` among the parameters; 1 if it is absent, 0 if it is not a valid weight. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=')
    if (name!.trim().toLowerCase() !== 'q') continue
    const weight = Number(value)
    return weight >= 0 && weight <= 1 ? weight : 0
  }
  return 1
}
