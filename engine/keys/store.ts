// The keys of a database: durable as values of the manifest, and here in memory.
//
// What always holds: what is in memory is what the manifest says; `createdAt` differs from key to
// key, so that the newest come first in one order only.
import {
  decodeKey,
  type Expiry,
  encodeKey,
  KEY_BYTES_MAX,
  KEY_LIST_MAX,
} from '../../format/keys/index.ts'
import type { Change } from '../../format/manifest/index.ts'
import type { Manifest, State } from '../catalog/index.ts'
import { EngineFault } from '../errors.ts'
import { KEYS_BYTES_MAX } from './limits.ts'

const SPACE = 'keys'

/** Microseconds since 1970, UTC. */
type Micros = number

export type NewKey = {
  /** A UUID in lower case with hyphens. */
  readonly uid: string
  readonly name: string | null
  readonly description: string | null
  /** As they were given, likewise the patterns. */
  readonly actions: readonly string[]
  readonly indexes: readonly string[]
  readonly expiresAt: Expiry | null
}

export type ApiKey = NewKey & { readonly createdAt: Micros; readonly updatedAt: Micros }

/** What can change about a key; absence leaves it as it is. */
export type KeyPatch = { readonly name?: string | null; readonly description?: string | null }

export interface Keys {
  /** Grows with every change. */
  readonly version: number
  /** Newest first; sorted anew after a change. */
  list(): readonly ApiKey[]
  /** In no order. */
  all(): Iterable<ApiKey>
  get(uid: string): ApiKey | undefined
  /**
   * Durable when it resolves, like all that follow. @throws EngineFault api_key_already_exists,
   * database_size_limit_reached
   */
  create(key: NewKey): Promise<ApiKey>
  /** All or none, in this order. @throws as `create` */
  createAll(keys: readonly NewKey[]): Promise<readonly ApiKey[]>
  /** @throws EngineFault api_key_not_found, database_size_limit_reached */
  update(uid: string, patch: KeyPatch): Promise<ApiKey>
  /** @throws EngineFault api_key_not_found */
  remove(uid: string): Promise<void>
}

/** Values of the manifest for keys that come from elsewhere. @throws EngineFault */
export function keyChanges(keys: readonly ApiKey[]): readonly Change[] {
  return keys.map((key) => valueSet(key.uid, encoded(key)))
}

type Entry = { readonly key: ApiKey; readonly bytes: number }

export class KeyStore implements Keys {
  readonly #manifest: Manifest
  readonly #now: () => Micros
  readonly #bytesMax: number
  readonly #entries = new Map<string, Entry>()
  /** Of all records and their uids. */
  #bytes = 0
  #lastCreated = 0
  #version = 0
  /** Newest first; null: to be sorted. */
  #sorted: readonly ApiKey[] | null = null

  /** @throws CorruptionError, VersionError when a record is not readable */
  constructor(manifest: Manifest, now: () => Micros, bytesMax = KEYS_BYTES_MAX) {
    this.#manifest = manifest
    this.#now = now
    this.#bytesMax = bytesMax
    for (const [uid, record] of recordsOf(manifest.state)) {
      this.#set({ uid, ...decodeKey(record) }, record.length)
    }
  }

  get version(): number {
    return this.#version
  }

  list(): readonly ApiKey[] {
    this.#sorted ??= [...this.#entries.values()]
      .map(({ key }) => key)
      .sort((a, b) => b.createdAt - a.createdAt)
    return this.#sorted
  }

  *all(): Iterable<ApiKey> {
    for (const { key } of this.#entries.values()) yield key
  }

  get(uid: string): ApiKey | undefined {
    return this.#entries.get(uid)?.key
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
    const records = made.map(encoded)
    await this.#commit((state) => {
      const stored = recordsOf(state)
      const twice = made.find(({ uid }) => stored.has(uid))
      if (twice !== undefined) throw alreadyThere(twice.uid)
      this.#checkRoom(records.reduce((sum, { length }, i) => sum + sizeOf(made[i]!, length), 0))
      return made.map(({ uid }, i) => valueSet(uid, records[i]!))
    })
    for (const [i, key] of made.entries()) this.#set(key, records[i]!.length)
    return made
  }

  async update(uid: string, patch: KeyPatch): Promise<ApiKey> {
    let changed: ApiKey | undefined
    let bytes = 0
    await this.#commit((state) => {
      const record = recordsOf(state).get(uid)
      if (record === undefined) throw notFound(uid)
      const key = { uid, ...decodeKey(record) }
      changed = { ...key, ...patch, updatedAt: Math.max(this.#now(), key.updatedAt) }
      const fresh = encoded(changed)
      this.#checkRoom(fresh.length - record.length)
      bytes = fresh.length
      return [valueSet(uid, fresh)]
    })
    this.#set(changed!, bytes)
    return changed!
  }

  async remove(uid: string): Promise<void> {
    await this.#commit((state) => {
      if (!recordsOf(state).has(uid)) throw notFound(uid)
      return [valueSet(uid, null)]
    })
    this.#forget(uid)
    this.#entries.delete(uid)
  }

  /** The function sees the newest state: two changes of one key follow one another. */
  async #commit(changes: (state: State) => readonly Change[]): Promise<void> {
    await this.#manifest.commit(changes)
  }

  #checkRoom(more: number): void {
    if (more <= 0 || this.#bytes + more <= this.#bytesMax) return
    throw new EngineFault(
      'database_size_limit_reached',
      `The API keys take ${this.#bytes} bytes and may take ${this.#bytesMax} at most: ` +
        'delete keys before creating others.',
    )
  }

  #set(key: ApiKey, bytes: number): void {
    this.#forget(key.uid)
    this.#entries.set(key.uid, { key, bytes })
    this.#bytes += sizeOf(key, bytes)
    this.#lastCreated = Math.max(this.#lastCreated, key.createdAt)
  }

  #forget(uid: string): void {
    const entry = this.#entries.get(uid)
    if (entry !== undefined) this.#bytes -= sizeOf(entry.key, entry.bytes)
    this.#sorted = null
    this.#version++
  }
}

const NO_RECORDS: ReadonlyMap<string, Uint8Array> = new Map()

const recordsOf = (state: State): ReadonlyMap<string, Uint8Array> =>
  state.values.get(SPACE) ?? NO_RECORDS

const valueSet = (key: string, value: Uint8Array | null): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value,
})

const sizeOf = ({ uid }: NewKey, recordBytes: number): number => uid.length + recordBytes

/** @throws EngineFault database_size_limit_reached for a record that no reader would take */
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

const alreadyThere = (uid: string): EngineFault =>
  new EngineFault(
    'api_key_already_exists',
    `\`uid\` field value \`${uid}\` is already an existing API key.`,
  )

const notFound = (uid: string): EngineFault =>
  new EngineFault('api_key_not_found', `API key \`${uid}\` not found.`)
