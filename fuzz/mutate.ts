// Changes an input slightly. The mutations do not depend on the meaning of the bytes, but are those
// that find errors in decoders and parsers: bits, lengths, limits of integers, moved or repeated
// parts.
import type { Random } from './random.ts'

const BYTES = [0, 1, 2, 9, 10, 13, 32, 34, 39, 44, 47, 48, 57, 64, 92, 127, 128, 192, 237, 254, 255]
const INTEGERS = [
  0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 4095, 4096, 4097, 16383, 16384,
  32767, 32768, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
]
const CHANGES_EXPONENT_MAX = 5
const RANGE_EXPONENT_MAX = 8
const SEED_WORDS_MAX = 200

/** Awkward pieces of text and numbers, inserted into inputs of any kind. */
const WORDS = [
  'null',
  'true',
  '-1',
  '0.1',
  '1e400',
  '-0',
  '9007199254740993',
  '18446744073709551616',
  '\\ud800',
  '\\u0000',
  '\ufeff',
  '\u0000',
  'é',
  '\u0301',
  '😀',
  '中',
  '\u200b',
  '\r\n',
  '""',
  '[[[[',
  '{"":',
  '((((',
  '*',
  '..',
  '/',
  '%00',
]

/** Returns the words of `texts` and `more` as bytes, for insertion by mutations. */
export function dictionaryOf(
  seeds: readonly Uint8Array[],
  more: readonly string[] = [],
): readonly Uint8Array[] {
  const words = new Set<string>()
  for (const seed of seeds) {
    const text = Buffer.from(seed).toString('latin1')
    for (const [word] of text.matchAll(/[A-Za-z_]{2,24}/g)) {
      if (words.size < SEED_WORDS_MAX) words.add(word)
    }
  }
  for (const word of [...more, ...WORDS]) words.add(word)
  const bytes = [...words].map((word) => new TextEncoder().encode(word))
  return [...bytes, Uint8Array.of(0xed, 0xa0, 0x80), Uint8Array.of(0xf5, 0x80), Uint8Array.of(0xc0)]
}

/** Creates changed copies of inputs, none longer than `bytesMax`. */
export class Mutator {
  readonly #random: Random
  readonly #dictionary: readonly Uint8Array[]
  readonly #bytesMax: number
  readonly #bytes: Uint8Array
  #length = 0

  constructor(random: Random, dictionary: readonly Uint8Array[], bytesMax: number) {
    this.#random = random
    this.#dictionary = dictionary
    this.#bytesMax = bytesMax
    this.#bytes = new Uint8Array(bytesMax)
  }

  /** Returns a changed copy of `input`; some mutations copy parts of `other`. */
  mutate(input: Uint8Array, other: Uint8Array): Uint8Array {
    this.#length = Math.min(input.length, this.#bytesMax)
    this.#bytes.set(input.subarray(0, this.#length))
    for (let i = 1 << this.#random.below(CHANGES_EXPONENT_MAX); i > 0; i--) this.#change(other)
    return this.#bytes.slice(0, this.#length)
  }

  #change(other: Uint8Array): void {
    const random = this.#random
    const bytes = this.#bytes
    if (this.#length === 0) {
      this.#insert(0, this.#noise())
      return
    }
    const at = random.below(this.#length)
    const own = bytes.subarray(0, this.#length)
    switch (random.below(12)) {
      case 0:
      case 1:
        bytes[at]! ^= 1 << random.below(8)
        break
      case 2:
        bytes[at] = random.oneIn(2) ? random.below(256) : random.pick(BYTES)
        break
      case 3:
        this.#overwrite(at, this.#integer(at))
        break
      case 4:
        this.#add(at, random.below(35) - 17)
        break
      case 5:
        this.#remove(at, this.#rangeLength())
        break
      case 6:
        this.#insert(at, this.#noise())
        break
      case 7:
        this.#insert(at, this.#part(own))
        break
      case 8:
        this.#overwrite(at, this.#part(own))
        break
      case 9:
        this.#insertOrOverwrite(at, this.#part(other))
        break
      case 10:
        this.#insertOrOverwrite(at, random.pick(this.#dictionary))
        break
      default:
        if (random.oneIn(8)) this.#length = at
        else bytes[at] = random.below(256)
    }
  }

  #rangeLength(): number {
    return 1 + this.#random.below(1 << this.#random.below(RANGE_EXPONENT_MAX))
  }

  #part(source: Uint8Array): Uint8Array {
    if (source.length === 0) return source
    const from = this.#random.below(source.length)
    return source.slice(from, from + this.#rangeLength())
  }

  #noise(): Uint8Array {
    const random = this.#random
    const noise = new Uint8Array(this.#rangeLength())
    if (random.oneIn(2)) return noise.fill(random.oneIn(2) ? 0 : random.below(256))
    for (let i = 0; i < noise.length; i++) noise[i] = random.below(256)
    return noise
  }

  /** Writes an integer of 1 to 8 bytes that is a typical limit, often one of this input. */
  #integer(at: number): Uint8Array {
    const random = this.#random
    const near = [this.#length, at, this.#length - at, random.below(this.#length)]
    const value = random.oneIn(3) ? random.pick(near) : random.pick(INTEGERS)
    const out = new Uint8Array(1 << random.below(4))
    for (let i = 0; i < Math.min(4, out.length); i++) out[i] = value >>> (8 * i)
    return random.oneIn(4) ? out.reverse() : out
  }

  /** Adds `delta` to an integer of 1, 2 or 4 bytes. */
  #add(at: number, delta: number): void {
    const bytes = this.#bytes
    const end = Math.min(this.#length, at + (1 << this.#random.below(3)))
    let carry = delta
    for (let i = at; i < end && carry !== 0; i++) {
      const sum = bytes[i]! + carry
      bytes[i] = sum
      carry = sum >> 8
    }
  }

  #insertOrOverwrite(at: number, part: Uint8Array): void {
    if (this.#random.oneIn(2)) this.#insert(at, part)
    else this.#overwrite(at, part)
  }

  #overwrite(at: number, part: Uint8Array): void {
    const room = Math.min(part.length, this.#bytesMax - at)
    this.#bytes.set(part.subarray(0, room), at)
    this.#length = Math.max(this.#length, at + room)
  }

  #insert(at: number, part: Uint8Array): void {
    const room = Math.min(part.length, this.#bytesMax - this.#length)
    this.#bytes.copyWithin(at + room, at, this.#length)
    this.#bytes.set(part.subarray(0, room), at)
    this.#length += room
  }

  #remove(at: number, count: number): void {
    const end = Math.min(this.#length, at + count)
    this.#bytes.copyWithin(at, end, this.#length)
    this.#length -= end - at
  }
}
