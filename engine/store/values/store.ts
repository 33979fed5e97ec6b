// The values of one space in memory. The manifest is the truth: the store decodes what changed in
// it when it is next read, so a value that a task or an import changed is seen as well.
import { compareText } from '../../../format/bytes/index.ts'
import type { Manifest } from '../catalog/index.ts'
import { recordsOf, type ValueSpace, valueChanges } from './space.ts'

type Entry<T> = { readonly record: Uint8Array; readonly value: T }

export class ValueStore<T> {
  readonly #manifest: Manifest
  readonly #space: ValueSpace<T>
  #records: ReadonlyMap<string, Uint8Array> = new Map()
  #entries: ReadonlyMap<string, Entry<T>> = new Map()
  /** In byte order of the keys; null: to be sorted. */
  #sorted: ReadonlyMap<string, T> | null = null
  #version = 0

  /** @throws CorruptionError, VersionError when a record is not readable */
  constructor(manifest: Manifest, space: ValueSpace<T>) {
    this.#manifest = manifest
    this.#space = space
    this.#refresh()
  }

  /** Grows with every change. */
  get version(): number {
    this.#refresh()
    return this.#version
  }

  /** All values by key, in byte order of the keys; the same map until one changes. */
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
   * Sets or removes (null) the values that `change` returns. It is called once, when all earlier
   * commits are done: what `get` and `all` return then is the newest state, so two updates of one
   * value follow one another. Durable when it resolves.
   * @throws what `change` throws, EngineFault when the space would be too large, StorageError
   */
  async update(change: () => Iterable<readonly [key: string, value: T | null]>): Promise<void> {
    await this.#manifest.commit((state) => valueChanges(this.#space, state, change()))
  }

  /** Decodes the records that are new. Costs one comparison when nothing changed. */
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
