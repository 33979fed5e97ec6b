// Stores the network of a database as one value of the manifest.
import type { Change } from '../../../format/manifest/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import { type ValueSpace, ValueStore, valueChange } from '../../store/values/index.ts'
import { NETWORK_BYTES_MAX } from './limits.ts'
import { decodeNetwork, encodeNetwork, type Network, NO_NETWORK } from './network.ts'

const KEY = 'network'

export interface NetworkDescription {
  /** Returns the network, its API keys in clear. The same object until the network changes. */
  get(): Network
  /**
   * Replaces the network by the result of the function for the newest one. Durable when it
   * resolves. A dump restores its network with a function that ignores its argument. @throws errors
   * of the function, EngineFault database_size_limit_reached
   */
  update(change: (network: Network) => Network): Promise<Network>
}

const NETWORKS: ValueSpace<Network> = {
  name: 'network',
  encode: encodeNetwork,
  decode: decodeNetwork,
  limit: {
    bytesMax: NETWORK_BYTES_MAX,
    refuse: (_bytes, wanted) =>
      new EngineFault(
        'database_size_limit_reached',
        `The network would take ${wanted} bytes and may take ${NETWORK_BYTES_MAX} at most: ` +
          'name fewer remotes and shards.',
      ),
  },
}

/** Returns the change of the manifest that stores a network from a dump or snapshot. */
export const networkChange = (network: Network): Change => valueChange(NETWORKS, KEY, network)

export class NetworkStore implements NetworkDescription {
  readonly #values: ValueStore<Network>

  /** @throws CorruptionError when the record is not readable */
  constructor(manifest: Manifest) {
    this.#values = new ValueStore(manifest, NETWORKS)
  }

  get(): Network {
    return this.#values.get(KEY) ?? NO_NETWORK
  }

  async update(change: (network: Network) => Network): Promise<Network> {
    await this.#values.update(() => [[KEY, change(this.get())]])
    return this.get()
  }
}
