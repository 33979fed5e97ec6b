// Field names and their ids: dense numbers in order of first appearance in the index. The table of
// a batch starts with the view's names and grows; the batch's edit contains the new names.
import { decoder, encoder } from '../../../format/bytes/index.ts'
import { FIELDS_MAX, type FieldId } from '../../../format/ids.ts'
import { KeySet } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'

export class FieldNames {
  readonly #keys = new KeySet()
  readonly #names: string[] = []
  readonly #known: number

  /** `known`: the names of the view, by id. */
  constructor(known: readonly string[]) {
    for (const name of known) this.idOf(name)
    this.#known = this.#names.length
  }

  get count(): number {
    return this.#names.length
  }

  /** A copy of all names, by id. */
  get all(): readonly string[] {
    return this.#names.slice()
  }

  /** The names added since the table was created, in id order. */
  get added(): readonly string[] {
    return this.#names.slice(this.#known)
  }

  name(id: FieldId): string {
    return this.#names[id]!
  }

  /**
   * Returns the id of the name in UTF-8 bytes[from, to); registers a new name. @throws EngineFault
   * if there are too many
   */
  idOfBytes(bytes: Uint8Array, from: number, to: number): number {
    const id = this.#keys.add(bytes, from, to)
    if (id === this.#names.length) {
      if (id >= FIELDS_MAX) {
        throw new EngineFault(
          'max_fields_limit_exceeded',
          'A document cannot contain more than 65,535 fields.',
        )
      }
      this.#names.push(decoder.decode(bytes.subarray(from, to)))
    }
    return id
  }

  idOf(name: string): number {
    const bytes = encoder.encode(name)
    return this.idOfBytes(bytes, 0, bytes.length)
  }
}
