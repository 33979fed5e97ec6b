// Which encoding an answer goes out in. The client's weights decide; at equal weight Brotli before
// gzip before deflate.
const PREFERRED = ['br', 'gzip', 'deflate'] as const
export type Encoding = (typeof PREFERRED)[number]

/** Clients send few different headers; a stranger's variety must not grow the table. */
const REMEMBERED_MAX = 64
const LENGTH_MAX = 256
const remembered = new Map<string, Encoding | null>()

/** Whether one encoding alone is named: such a client gets even small answers in it. */
export const insists = (header: string | undefined): boolean =>
  header !== undefined && ONE_ENCODING.has(header.trim().toLowerCase())

const ONE_ENCODING: ReadonlySet<string> = new Set(PREFERRED)

/** null: as it is. */
export function encodingFor(header: string | undefined): Encoding | null {
  if (header === undefined || header.length > LENGTH_MAX) return null
  const known = remembered.get(header)
  if (known !== undefined) return known
  const found = negotiate(header)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
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
    // Where the client likes both as much, packing is preferred to plain text.
    if (best === null ? weight > 0 && weight >= bestWeight : weight > bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  return best
}

/** `q=0.5` among the parameters; 1 when there is none, 0 when it is no weight. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=')
    if (name!.trim().toLowerCase() !== 'q') continue
    const weight = Number(value)
    return weight >= 0 && weight <= 1 ? weight : 0
  }
  return 1
}
