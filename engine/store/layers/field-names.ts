// Field names and their ids: dense numbers in the order in which the index first met the names. The
// table of a batch begins as the view's and grows; what was added goes into the batch's edit.
import type { FieldId } from '../../../format/ids.ts'
import { KeySet } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'

/** Ids are 16 bits; one is left over so that a count fits as well. */
export const FIELDS_MAX = 65_535

const encoder = new TextEncoder()
const decoder = new TextDecoder()

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

  /** All names, by id: a copy. */
  get all(): readonly string[] {
    return this.#names.slice()
  }

  /** The names met since the table was made, in id order. */
  get added(): readonly string[] {
    return this.#names.slice(this.#known)
  }

  name(id: FieldId): string {
    return this.#names[id]!
  }

  /** The id of the name that is UTF-8 bytes[from, to), a new one if need be. @throws EngineFault */
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
