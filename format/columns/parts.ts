// A block of bytes made of a head of varints and parts behind it. Lengths are in the head, places
// follow from the order, each part aligned to what it holds: the writer and the reader walk the
// same way.
import { ByteReader, type ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'

/** Collects the parts of a block in order; their places are known when the head is finished. */
export class PartWriter {
  readonly #parts: { readonly bytes: Uint8Array; readonly alignment: number }[] = []

  /** Adds a part that begins at a multiple of `alignment`: 1, 2, 4 or 8. */
  add(bytes: Uint8Array, alignment: number): void {
    if (bytes.length > 0) this.#parts.push({ bytes, alignment })
  }

  /** Writes head and parts to `out`, which stands at a multiple of 8. */
  finish(head: Uint8Array, out: ByteWriter): void {
    assert(out.length % 8 === 0, 'a block begins at a multiple of 8')
    out.bytes(head)
    for (const part of this.#parts) {
      out.align(part.alignment)
      out.bytes(part.bytes)
    }
  }
}

/** Finds the parts of a block again. */
export class PartReader {
  /** Reads the head. */
  readonly head: ByteReader
  readonly #section: string
  readonly #end: number
  #at: number

  /**
   * The block lies at [at, at + length) of `section`; its head is verified here, its parts are not.
   */
  constructor(section: Section, at: number, headLength: number, length: number) {
    section.touch(at, headLength)
    this.head = new ByteReader(section.bytes, section.tag, at, at + headLength)
    this.#section = section.tag
    this.#at = at + headLength
    this.#end = at + length
  }

  /** Where the next part, of `length` bytes, begins in the section. @throws CorruptionError */
  part(length: number, alignment: number): number {
    if (length === 0) return this.#at
    const at = Math.ceil(this.#at / alignment) * alignment
    if (at + length > this.#end) {
      refuse(this.#section, at, 'bad_length', `${length} bytes`, this.#end - at)
    }
    this.#at = at + length
    return at
  }

  /** @throws CorruptionError unless `condition` holds */
  expect(condition: boolean, expected: number | string, got: number): void {
    if (!condition) refuse(this.#section, this.head.at, 'bad_value', expected, got)
  }

  /** @throws CorruptionError unless head and parts were read to their ends */
  finish(): void {
    this.head.finish()
    if (this.#at !== this.#end) {
      refuse(this.#section, this.#at, 'bad_length', this.#end, this.#at)
    }
  }
}
