// The values of one space in memory. The store compares its records with the manifest at each read
// and decodes changed ones, so it also returns values that a task or an import changed.
import { compareText } from '../../../format/bytes/index.ts'
import type { Manifest } from '../catalog/index.ts'
import { recordsOf, type ValueSpace, valueChanges } from './space.ts'

type Entry<T> = { readonly record: Uint8Array; readonly value: T }

export class ValueStore<T> {
  readonly #manifest: Manifest
  readonly #space: ValueSpace<T>
  #records: ReadonlyMap<string, Uint8Array> = new Map()
  #entries: ReadonlyMap<string, Entry<T>> = new Map()
  /** Values in byte order of the keys; null if they have to be sorted again. */
  #sorted: ReadonlyMap<string, T> | null = null
  #version = 0

  /** @throws CorruptionError, VersionError if a record cannot be decoded */
  constructor(manifest: Manifest, space: ValueSpace<T>) {
    this.#manifest = manifest
    this.#space = space
    this.#refresh()
  }

  /** Increases with every change. */
  get version(): number {
    this.#refresh()
    return this.#version
  }

  /** Returns all values by key, in byte order of the keys; the same map until a value changes. */
  all(): ReadonlyMap<string, T> {
    this.#refresh()
    if (this.#sorted === null) {
      const entries = [...this.#entries].sort(([a], [b]) => compareText(a, b))
      this.#sorted = new Map(entries.map(([key, { value }]) => [key, value]))
    }
    return this.#sorted
  }

  get(key: string): T | undefined {
    this.#refresh()
    return this.#entries.get(key)?.value
  }

  get size(): number {
    this.#refresh()
    return this.#entries.size
  }

  /**
   * Sets or removes (null) the values that `change` returns. `change` is called once, after all
   * earlier commits: `get` and `all` then return the newest state, so updates of one value are
   * applied one after another. Durable when the promise resolves.
   * @throws errors of `change`, EngineFault if the space would become too large, StorageError
   */
  async update(change: () => Iterable<readonly [key: string, value: T | null]>): Promise<void> {
    await this.#manifest.commit((state) => valueChanges(this.#space, state, change()))
  }

  /** Decodes the records that are new. Costs one comparison if nothing changed. */
  #refresh(): void {
    const records = recordsOf(this.#space, this.#manifest.state)
    if (records === this.#records) return
    const entries = new Map<string, Entry<T>>()
    for (const [key, record] of records) {
      const known = this.#entries.get(key)
      const isSame = known !== undefined && known.record === record
      entries.set(key, isSame ? known : { record, value: this.#space.decode(record, key) })
    }
    this.#records = records
    this.#entries = entries
    this.#sorted = null
    this.#version++
  }
}
