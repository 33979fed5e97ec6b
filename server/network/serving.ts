// Which shards an instance is asked for, under which network: an instance that does not hold them
// says so. Without that, documents would be missing from answers in silence while a network
// changes, or after an instance was away.
import { createHash } from 'node:crypto'
import type { Engine, Network } from '../../engine/index.ts'
import { compareText } from '../../format/bytes/index.ts'
import { ApiError } from '../errors/index.ts'
import { SHARDS_HEADER_BYTES_MAX } from './limits.ts'
import type { AskedShards } from './search-plan.ts'

/** `VERSION;DIGEST;SHARD,SHARD`: of the network, of all names of shards, and those asked for. */
export const SERVING = 'svc-proxy-serving'

const digests = new WeakMap<Network, string>()

/** The same for two networks that divide documents alike. */
function digestOf(network: Network): string {
  const known = digests.get(network)
  if (known !== undefined) return known
  const names = [...network.shards.keys()].sort(compareText)
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('base64url')
  digests.set(network, digest)
  return digest
}

/** Nothing where documents are not divided, or names are too long for a header. */
export function servingHeaders(
  network: Network,
  shards: AskedShards,
): { readonly [name: string]: string } {
  if (network.leader === null || shards === null || shards.length === 0) return {}
  const names = shards.map(encodeURIComponent).join(',')
  if (names.length > SHARDS_HEADER_BYTES_MAX) return {}
  return { [SERVING]: `${network.version};${digestOf(network)};${names}` }
}

/**
 * The names of all shards of the network that another instance asks under; undefined: those of the
 * network that is served here. While a network changes, an instance that has the documents of both
 * answers under both. @throws ApiError network_version_mismatch when it does not hold what is asked
 */
export function askedShardNames(
  { topology }: Pick<Engine, 'topology'>,
  context: { header(name: string): string | undefined },
): readonly string[] | undefined {
  const asked = context.header(SERVING)
  if (asked === undefined) return undefined
  const network = topology.serving
  const [version = '', digest, names = ''] = asked.split(';')
  if (version === network.version) return undefined
  const other = topology.alsoServed(version)
  if (other !== null) return [...other.shards.keys()]
  const { self, shards } = network
  const mayHold = self !== null && !topology.lacking.has(self)
  const holds = (name: string): boolean =>
    mayHold && shards.get(decoded(name))?.remotes.includes(self) === true
  if (digest === digestOf(network) && names.split(',').every(holds)) return undefined
  throw new ApiError(
    'network_version_mismatch',
    `This instance serves another network (\`${network.version}\`) than the one it is asked ` +
      'about, and does not hold the shards of the request.',
  )
}

/** A name that is not encoded right is the name of no shard. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return name
  }
}
