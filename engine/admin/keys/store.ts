// The API keys of a database: values of the manifest, with their own codec and size limit.
//
// Invariant: `createdAt` differs from key to key, so that "newest first" is a single order.
import { asUuid, type Uuid } from '../../../format/ids.ts'
import {
  decodeKey,
  type Expiry,
  encodeKey,
  KEY_BYTES_MAX,
  KEY_LIST_MAX,
} from '../../../format/keys/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import { type ValueSpace, ValueStore, valueChange } from '../../store/values/index.ts'
import { KEYS_BYTES_MAX } from './limits.ts'

/** Microseconds since 1970, UTC. */
type Micros = number

export type NewKey = {
  /** A UUID in lower case with hyphens. */
  readonly uid: Uuid
  readonly name: string | null
  readonly description: string | null
  /** As in the request, like the patterns. */
  readonly actions: readonly string[]
  readonly indexes: readonly string[]
  readonly expiresAt: Expiry | null
}

export type ApiKey = NewKey & { readonly createdAt: Micros; readonly updatedAt: Micros }

/** The members of a key that can change; an absent one stays as it is. */
export type KeyPatch = { readonly name?: string | null; readonly description?: string | null }

export interface Keys {
  /** Raised by every change. */
  readonly version: number
  /** Returns keys with the newest first; sorted again after a change. */
  list(): readonly ApiKey[]
  /** Returns keys in any order. */
  all(): Iterable<ApiKey>
  get(uid: Uuid): ApiKey | undefined
  /**
   * Creates a key. Durable when it resolves, like all changes.
   * @throws EngineFault api_key_already_exists, database_size_limit_reached
   */
  create(key: NewKey): Promise<ApiKey>
  /** Creates all keys in this order, or none. @throws as `create` */
  createAll(keys: readonly NewKey[]): Promise<readonly ApiKey[]>
  /** @throws EngineFault api_key_not_found, database_size_limit_reached */
  update(uid: Uuid, patch: KeyPatch): Promise<ApiKey>
  /** @throws EngineFault api_key_not_found */
  remove(uid: Uuid): Promise<void>
}

/** The keys among the values of the manifest. `bytesMax`: all records and uids together. */
const keySpace = (bytesMax: number): ValueSpace<ApiKey> => ({
  name: 'keys',
  encode: encoded,
  decode: (record, uid) => ({ uid: asUuid(uid), ...decodeKey(record) }),
  limit: {
    bytesMax,
    refuse: (bytes) =>
      new EngineFault(
        'database_size_limit_reached',
        `The API keys take ${bytes} bytes and may take ${bytesMax} at most: ` +
          'delete keys before creating others.',
      ),
  },
})

const KEYS = keySpace(KEYS_BYTES_MAX)

/** Returns the changes of the manifest for imported keys. @throws EngineFault */
export function keyChanges(keys: readonly ApiKey[]): readonly Change[] {
  return keys.map((key) => valueChange(KEYS, key.uid, key))
}

export class KeyStore implements Keys {
  readonly #values: ValueStore<ApiKey>
  readonly #now: () => Micros
  /** Later than the creation of every existing or deleted key. */
  #lastCreated = 0
  /** Newest first, as of `#sortedVersion`. */
  #sorted: readonly ApiKey[] = []
  #sortedVersion = -1

  /** @throws CorruptionError, VersionError if a record is not readable */
  constructor(manifest: Manifest, now: () => Micros, bytesMax = KEYS_BYTES_MAX) {
    this.#values = new ValueStore(manifest, keySpace(bytesMax))
    this.#now = now
    for (const { createdAt } of this.all())
      this.#lastCreated = Math.max(this.#lastCreated, createdAt)
  }

  get version(): number {
    return this.#values.version
  }

  list(): readonly ApiKey[] {
    const { version } = this.#values
    if (version !== this.#sortedVersion) {
      this.#sorted = [...this.all()].sort((a, b) => b.createdAt - a.createdAt)
      this.#sortedVersion = version
    }
    return this.#sorted
  }

  all(): Iterable<ApiKey> {
    return this.#values.all().values()
  }

  get(uid: Uuid): ApiKey | undefined {
    return this.#values.get(uid)
  }

  async create(key: NewKey): Promise<ApiKey> {
    const [made] = await this.createAll([key])
    return made!
  }

  async createAll(keys: readonly NewKey[]): Promise<readonly ApiKey[]> {
    const made = keys.map((key) => {
      const at = Math.max(this.#now(), this.#lastCreated + 1)
      this.#lastCreated = at
      return { ...key, createdAt: at, updatedAt: at }
    })
    await this.#values.update(() => {
      const existing = made.find(({ uid }) => this.#values.get(uid) !== undefined)
      if (existing !== undefined) throw alreadyThere(existing.uid)
      return made.map((key) => [key.uid, key] as const)
    })
    return made
  }

  async update(uid: Uuid, patch: KeyPatch): Promise<ApiKey> {
    let changed: ApiKey | undefined
    await this.#values.update(() => {
      const key = this.#existing(uid)
      changed = { ...key, ...patch, updatedAt: Math.max(this.#now(), key.updatedAt) }
      return [[uid, changed]]
    })
    return changed!
  }

  async remove(uid: Uuid): Promise<void> {
    await this.#values.update(() => [[this.#existing(uid).uid, null]])
  }

  #existing(uid: Uuid): ApiKey {
    const key = this.#values.get(uid)
    if (key === undefined) throw notFound(uid)
    return key
  }
}

/** @throws EngineFault database_size_limit_reached for a record that the decoder would refuse */
function encoded(key: ApiKey): Uint8Array {
  if (Math.max(key.actions.length, key.indexes.length) > KEY_LIST_MAX) {
    throw new EngineFault(
      'database_size_limit_reached',
      `The lists of an API key may have ${KEY_LIST_MAX} elements at most.`,
    )
  }
  const record = encodeKey(key)
  if (record.length <= KEY_BYTES_MAX) return record
  throw new EngineFault(
    'database_size_limit_reached',
    `This API key takes ${record.length} bytes and may take ${KEY_BYTES_MAX} at most.`,
  )
}

const alreadyThere = (uid: Uuid): EngineFault =>
  new EngineFault(
    'api_key_already_exists',
    `\`uid\` field value \`${uid}\` is already an existing API key.`,
  )

const notFound = (uid: Uuid): EngineFault =>
  new EngineFault('api_key_not_found', `API key \`${uid}\` not found.`)
