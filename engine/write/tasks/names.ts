// Index names as small numbers, so that a million tasks hold four bytes each. 0 stands for no
// index.
import { equalBytes } from '../../../format/bytes/index.ts'
import { textOf } from '../../../format/tasks/index.ts'

export const NO_NAME = 0

export class Names {
  readonly #texts: string[] = ['']
  readonly #numbers = new Map<string, number>()
  #lastBytes = new Uint8Array(0)
  #lastNumber = NO_NAME

  /** How many numbers are in use, `NO_NAME` included. */
  get count(): number {
    return this.#texts.length
  }

  /** The number of a name, a new one if need be. */
  numberOf(name: string | null): number {
    if (name === null) return NO_NAME
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#texts.length
    this.#texts.push(name)
    this.#numbers.set(name, number)
    return number
  }

  /** The number of a name as UTF-8. Records of one index come in runs: those decode no text. */
  numberOfBytes(bytes: Uint8Array | null): number {
    if (bytes === null) return NO_NAME
    if (this.#lastNumber !== NO_NAME && equalBytes(bytes, this.#lastBytes)) return this.#lastNumber
    this.#lastNumber = this.numberOf(textOf(bytes))
    this.#lastBytes = Uint8Array.from(bytes)
    return this.#lastNumber
  }

  /** The number of a name that some task has had, else null. */
  known(name: string): number | null {
    return this.#numbers.get(name) ?? null
  }

  /** null for `NO_NAME`. */
  textOf(number: number): string | null {
    return number === NO_NAME ? null : this.#texts[number]!
  }
}
