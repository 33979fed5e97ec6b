// A dictionary of words with its section of grams, for tests.
import { encoder } from '../bytes/index.ts'
import { buildFst, Fst } from '../fst/index.ts'
import { InfixReader, InfixWriter } from './index.ts'

/** A word, and the fields in which it occurs. */
export type TestWord = readonly [word: string, ...fields: readonly number[]]

export const byBytes = (a: TestWord, b: TestWord): number =>
  Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]))

/** Returns the section of these words, which are in byte order; null without one. */
export function sectionOf(
  words: readonly TestWord[],
  covered: readonly number[],
): Uint8Array | null {
  const writer = new InfixWriter(covered)
  words.forEach(([word, ...fields], ordinal) => {
    const packed = Uint32Array.from(fields, (field) => (field << 16) | 3)
    writer.term(ordinal, encoder.encode(word), packed, 0, packed.length)
  })
  return writer.finish()
}

export const dictionaryOf = (words: readonly TestWord[]): Fst =>
  new Fst(buildFst(words.map(([word]) => encoder.encode(word))))

/** A section in memory: nothing has to be verified. */
export const inMemory = (bytes: Uint8Array) => ({
  length: bytes.length,
  read: (at: number, length: number): Uint8Array => bytes.subarray(at, at + length),
})

export const readerOf = (bytes: Uint8Array, words: readonly TestWord[]): InfixReader =>
  new InfixReader(inMemory(bytes), dictionaryOf(words))
