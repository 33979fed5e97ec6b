// Index names as small numbers, so that each of a million tasks holds four bytes. 0 means no index.
import { equalBytes } from '../../../format/bytes/index.ts'
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { textOf } from '../../../format/tasks/index.ts'

export const NO_NAME = 0

export class Names {
  readonly #texts: string[] = ['']
  readonly #numbers = new Map<string, number>()
  #lastBytes = new Uint8Array(0)
  #lastNumber = NO_NAME

  /** Number of names, `NO_NAME` included. */
  get count(): number {
    return this.#texts.length
  }

  /** Returns the number of a name, assigning a new one if necessary. */
  numberOf(name: string | null): number {
    if (name === null) return NO_NAME
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#texts.length
    this.#texts.push(name)
    this.#numbers.set(name, number)
    return number
  }

  /**
   * Returns the number of a name in UTF-8. Consecutive records often name the same index: those
   * decode no text.
   */
  numberOfBytes(bytes: Uint8Array | null): number {
    if (bytes === null) return NO_NAME
    if (this.#lastNumber !== NO_NAME && equalBytes(bytes, this.#lastBytes)) return this.#lastNumber
    this.#lastNumber = this.numberOf(textOf(bytes))
    this.#lastBytes = Uint8Array.from(bytes)
    return this.#lastNumber
  }

  /** Returns the number of a name that a task has used, or null. */
  find(name: string): number | null {
    return this.#numbers.get(name) ?? null
  }

  /** Returns null for `NO_NAME`. */
  textOf(number: number): string | null {
    return number === NO_NAME ? null : this.#texts[number]!
  }

  /** The same for a name of an index. */
  indexUid(number: number): IndexUid | null {
    const text = this.textOf(number)
    return text === null ? null : asIndexUid(text)
  }
}
