// The header that names the shards and the network of a search, so that an instance refuses shards
// that it does not hold. Without it, answers would lack documents without an error while a network
// changes, or after an instance was unreachable.
import { createHash } from 'node:crypto'
import type { Engine, Network } from '../../../engine/index.ts'
import { compareText } from '../../../format/bytes/index.ts'
import { ApiError } from '../../errors/index.ts'
import { SHARDS_HEADER_BYTES_MAX } from '../calls/index.ts'
import type { RequestedShards } from './search-plan.ts'

/** `VERSION;DIGEST;SHARD,SHARD`: the network, a digest of all shard names, the requested shards. */
export const SERVING = 'svc-proxy-serving'

const digests = new WeakMap<Network, string>()

/** Returns equal digests for networks that divide documents in the same way. */
function digestOf(network: Network): string {
  const known = digests.get(network)
  if (known !== undefined) return known
  const names = [...network.shards.keys()].sort(compareText)
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('base64url')
  digests.set(network, digest)
  return digest
}

/** Returns no header if documents are not divided, or the names are too long. */
export function servingHeaders(
  network: Network,
  shards: RequestedShards,
): { readonly [name: string]: string } {
  if (network.leader === null || shards === null || shards.length === 0) return {}
  const names = shards.map(encodeURIComponent).join(',')
  if (names.length > SHARDS_HEADER_BYTES_MAX) return {}
  return { [SERVING]: `${network.version};${digestOf(network)};${names}` }
}

/**
 * Returns the names of all shards in the caller's network, or undefined for the network of this
 * instance. During a change an instance with the documents of both networks serves both.
 * @throws ApiError network_version_mismatch if it does not hold the requested shards
 */
export function requestedShardNames(
  { topology }: Pick<Engine, 'topology'>,
  context: { header(name: string): string | undefined },
): readonly string[] | undefined {
  const serving = context.header(SERVING)
  if (serving === undefined) return undefined
  const network = topology.serving
  const [version = '', digest, names = ''] = serving.split(';')
  const { self, shards } = network
  const isPartial = (name: string): boolean =>
    self !== null && topology.isPartial(self, decoded(name))
  if (version === network.version && !names.split(',').some(isPartial)) return undefined
  const other = topology.alsoServed(version)
  if (other !== null && version !== network.version) return [...other.shards.keys()]
  const mayHold = self !== null && !topology.lacking.has(self)
  const holds = (name: string): boolean =>
    mayHold && !isPartial(name) && shards.get(decoded(name))?.remotes.includes(self) === true
  if (digest === digestOf(network) && names.split(',').every(holds)) return undefined
  throw new ApiError(
    'network_version_mismatch',
    `This instance serves another network (\`${network.version}\`) than the one it is asked ` +
      'about, and does not hold the shards of the request.',
  )
}

/** Returns a name with invalid encoding unchanged; it matches no shard. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return name
  }
}
