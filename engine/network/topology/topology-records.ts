// Manifest values of a topology change, beside its task: messages of other instances, details that
// the task shows, and the network by which documents are still placed until the change succeeds.
import { encoder } from '../../../format/bytes/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import {
  anything,
  decodedJson,
  flag,
  mapOf,
  objectWith,
  text,
  texts,
} from '../../../format/schema/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import { type ValueSpace, ValueStore, valueChange } from '../../store/values/index.ts'
import {
  type ChangeMessages,
  decodeNetwork,
  encodeNetwork,
  type Network,
} from '../records/index.ts'

const KEY = 'networkTopologyChange'

type StoredMessages = Pick<ChangeMessages, 'version' | 'ended' | 'finished'> &
  Partial<ChangeMessages>
type Details = { readonly [member: string]: unknown }

const MESSAGES = objectWith<StoredMessages>(
  { version: text, ended: texts, finished: mapOf(flag) },
  { routed: texts, isClean: flag, isDefined: flag },
)
const NONE = { ended: [], finished: {}, routed: [], isClean: false, isDefined: false }
const jsonSpace = <T>(name: string, decode: (record: Uint8Array) => T): ValueSpace<T> => ({
  name,
  encode: (value) => encoder.encode(JSON.stringify(value)),
  decode,
  limit: null,
})
const MESSAGE_SPACE = jsonSpace('topology-messages', (bytes): ChangeMessages => {
  return { ...NONE, ...decodedJson(MESSAGES, bytes, 'topology messages') }
})
const DETAIL_SPACE = jsonSpace('topology-details', (bytes) => {
  return decodedJson(mapOf(anything), bytes, 'topology details') as Details
})
const PLACEMENT_SPACE: ValueSpace<Network> = {
  name: 'network-settled',
  encode: encodeNetwork,
  decode: decodeNetwork,
  // The record holds one network, whose size was checked when it became active.
  limit: null,
}
const BRINGING_SPACE = jsonSpace('network-bringing', (bytes): readonly string[] => {
  return decodedJson(texts, bytes, 'instances that bring documents')
})
/** Number of canceled changes whose details are kept. */
const DETAILS_MAX = 64

/** Returns the edit that marks documents as placed by the network; part of a change's commit. */
export const placementChange = (): Change => valueChange(PLACEMENT_SPACE, KEY, null)

export class TopologyRecords {
  readonly #messages: ValueStore<ChangeMessages>
  readonly #details: ValueStore<Details>
  readonly #placement: ValueStore<Network>
  readonly #bringing: ValueStore<readonly string[]>

  /** @throws CorruptionError */
  constructor(manifest: Manifest) {
    this.#messages = new ValueStore(manifest, MESSAGE_SPACE)
    this.#details = new ValueStore(manifest, DETAIL_SPACE)
    this.#placement = new ValueStore(manifest, PLACEMENT_SPACE)
    this.#bringing = new ValueStore(manifest, BRINGING_SPACE)
  }

  /** Returns the messages of the change that creates this version. */
  messages(version: string): ChangeMessages {
    const known = this.#messages.get(KEY)
    if (known?.version === version) return known
    return { version, ...NONE }
  }

  /** Changes the stored messages. Durable when it resolves. @throws StorageError */
  async note(version: string, change: (known: ChangeMessages) => ChangeMessages): Promise<void> {
    const before = this.messages(version)
    if (JSON.stringify(change(before)) === JSON.stringify(before)) return
    await this.#messages.update(() => [[KEY, change(this.messages(version))]])
  }

  /** Details by uid of the task. */
  details(): ReadonlyMap<string, Details> {
    return this.#details.all()
  }

  /** @throws StorageError */
  async setDetails(uid: TaskUid, details: Details): Promise<void> {
    const known = [...this.#details.all().keys()].sort((a, b) => Number(a) - Number(b))
    const old = known.slice(0, -DETAILS_MAX)
    await this.#details.update(() => [
      ...old.map((one) => [one, null] as const),
      [String(uid), details],
    ])
  }

  /** The network by which documents are placed, or undefined if it is the current one. */
  get placement(): Network | undefined {
    return this.#placement.get(KEY)
  }

  /** Instances whose documents have not moved yet; counts only beside a former network. */
  get bringing(): readonly string[] {
    return this.#bringing.get(KEY) ?? []
  }

  /** @throws StorageError */
  async setPlacement(network: Network | null, bringing: readonly string[] = []): Promise<void> {
    const isSame = JSON.stringify(bringing) === JSON.stringify(this.bringing)
    if (!isSame) await this.#bringing.update(() => [[KEY, bringing]])
    await this.#placement.update(() => [[KEY, network]])
  }
}
