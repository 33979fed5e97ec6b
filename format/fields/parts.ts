// A block of bytes: a head of varints, followed by parts. The head holds their lengths; their
// offsets follow from the order and from the alignment of each part, so the writer and the reader
// must use the same order.
import { ByteReader, type ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'

/**
 * Collects the parts of a block in order. Their offsets are known only when the head is finished.
 */
export class PartWriter {
  readonly #parts: { readonly bytes: Uint8Array; readonly alignment: number }[] = []

  /** Adds a part that begins at a multiple of `alignment`: 1, 2, 4 or 8. */
  add(bytes: Uint8Array, alignment: number): void {
    assert([1, 2, 4, 8].includes(alignment), 'an alignment is 1, 2, 4 or 8')
    if (bytes.length > 0) this.#parts.push({ bytes, alignment })
  }

  /** Writes head and parts to `out`, whose length is a multiple of 8. */
  finish(head: Uint8Array, out: ByteWriter): void {
    assert(out.length % 8 === 0, 'a block begins at a multiple of 8')
    out.bytes(head)
    for (const part of this.#parts) {
      out.align(part.alignment)
      out.bytes(part.bytes)
    }
  }
}

/** Locates the parts of a block. */
export class PartReader {
  /** Reads the head. */
  readonly head: ByteReader
  readonly #section: string
  readonly #end: number
  #at: number

  /** Opens the block at [at, at + length) of `section`. Verifies its head, but not its parts. */
  constructor(section: Section, at: number, headLength: number, length: number) {
    section.touch(at, headLength)
    this.head = new ByteReader(section.bytes, section.tag, at, at + headLength)
    this.#section = section.tag
    this.#at = at + headLength
    this.#end = at + length
  }

  /**
   * Returns the offset of the next part, of `length` bytes, in the section. @throws CorruptionError
   */
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

  /** @throws CorruptionError unless head and parts were read completely */
  finish(): void {
    this.head.finish()
    if (this.#at !== this.#end) {
      refuse(this.#section, this.#at, 'bad_length', this.#end, this.#at)
    }
  }
}
