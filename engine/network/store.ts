// The network of a database: durable as a value of the manifest, and here in memory. What is in
// memory is what the manifest says.
import type { Change } from '../../format/manifest/index.ts'
import type { Manifest, State } from '../catalog/index.ts'
import { EngineFault } from '../errors.ts'
import { NETWORK_BYTES_MAX } from './limits.ts'
import { decodeNetwork, encodeNetwork, type Network, NO_NETWORK } from './network.ts'

const SPACE = 'network'
const KEY = 'network'

export interface NetworkDescription {
  /** With keys in clear. The same object as long as nothing changes. */
  get(): Network
  /**
   * Makes the network what the function makes of the newest one. Durable when it resolves. A dump's
   * network is restored by a function that looks at nothing. @throws what the function throws,
   * EngineFault database_size_limit_reached
   */
  update(change: (network: Network) => Network): Promise<Network>
}

/** The value of the manifest for a network that comes from elsewhere. */
export const networkChange = (network: Network): Change => ({
  kind: 'value-set',
  space: SPACE,
  key: KEY,
  value: encodeNetwork(network),
})

export class NetworkStore implements NetworkDescription {
  readonly #manifest: Manifest
  #network: Network

  /** @throws CorruptionError when the record is not readable */
  constructor(manifest: Manifest) {
    this.#manifest = manifest
    this.#network = networkOf(manifest.state)
  }

  get(): Network {
    return this.#network
  }

  async update(change: (network: Network) => Network): Promise<Network> {
    await this.#manifest.commit((state) => {
      const value = encodeNetwork(change(networkOf(state)))
      if (value.length > NETWORK_BYTES_MAX) throw tooLarge(value.length)
      return [{ kind: 'value-set', space: SPACE, key: KEY, value }]
    })
    this.#network = networkOf(this.#manifest.state)
    return this.#network
  }
}

function networkOf(state: State): Network {
  const record = state.values.get(SPACE)?.get(KEY)
  return record === undefined ? NO_NETWORK : decodeNetwork(record)
}

const tooLarge = (bytes: number): EngineFault =>
  new EngineFault(
    'database_size_limit_reached',
    `The network would take ${bytes} bytes and may take ${NETWORK_BYTES_MAX} at most: name fewer ` +
      'remotes and shards.',
  )
