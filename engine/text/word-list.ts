// Word lists as stored in the tables: sorted, each word as the number of units shared with the
// previous word and the remaining units, compressed, in base64. Unpacked once per thread, when a
// text first needs them.
// Layout: ./WORD-LISTS.md
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { assert } from '../../format/errors.ts'

/** Words in ascending order of their units. Word i is units[starts[i], starts[i + 1]). */
export type WordList = {
  readonly units: Uint16Array
  readonly starts: Uint32Array
  /** How often each word occurred in the text from which the list was counted. */
  readonly counts: Uint32Array
}

/** Builds a list of words and their counts. */
export function wordList(words: ReadonlyMap<string, number>): WordList {
  const sorted = [...words.keys()].sort()
  const starts = new Uint32Array(sorted.length + 1)
  for (let i = 0; i < sorted.length; i++) starts[i + 1] = starts[i]! + sorted[i]!.length
  const text = sorted.join('')
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  return { units, starts, counts: Uint32Array.from(sorted, (word) => words.get(word)!) }
}

/** Unpacks the text of a table. The tables are part of the program: errors are assertions. */
export function unpackWords(table: string): WordList {
  const bytes = brotliDecompressSync(Buffer.from(table, 'base64'))
  const reader = { bytes, at: 0 }
  const words = varint(reader)
  const shared = bytes.subarray(reader.at, reader.at + words)
  const added = bytes.subarray(reader.at + words, reader.at + 2 * words)
  reader.at += 2 * words
  const starts = new Uint32Array(words + 1)
  for (let i = 0; i < words; i++) starts[i + 1] = starts[i]! + shared[i]! + added[i]!
  const units = new Uint16Array(starts[words]!)
  for (let i = 0; i < words; i++) {
    const start = starts[i]!
    if (i > 0) units.copyWithin(start, starts[i - 1]!, starts[i - 1]! + shared[i]!)
    for (let k = start + shared[i]!; k < starts[i + 1]!; k++, reader.at += 2) {
      units[k] = bytes[reader.at]! | (bytes[reader.at + 1]! << 8)
    }
  }
  const counts = new Uint32Array(words)
  for (let i = 0; i < words; i++) counts[i] = varint(reader)
  assert(reader.at === bytes.length, 'a word table ends with its last count')
  return { units, starts, counts }
}

function varint(reader: { readonly bytes: Uint8Array; at: number }): number {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = reader.bytes[reader.at++]!
    value |= (byte & 127) << shift
    if (byte < 128) return value
  }
}

/** Encodes words for a table; they must differ and have fewer than 256 units each. */
export function packWords(words: ReadonlyMap<string, number>): string {
  const sorted = [...words.keys()].sort()
  const shared: number[] = []
  const added: number[] = []
  const units: number[] = []
  const counts: number[] = []
  let before = ''
  for (const word of sorted) {
    assert(word.length < 256, 'a word has fewer than 256 units')
    let same = 0
    while (same < before.length && before[same] === word[same]) same++
    shared.push(same)
    added.push(word.length - same)
    for (let i = same; i < word.length; i++) {
      const unit = word.charCodeAt(i)
      units.push(unit & 255, unit >> 8)
    }
    pushVarint(counts, words.get(word)!)
    before = word
  }
  const head: number[] = []
  pushVarint(head, sorted.length)
  const bytes = Uint8Array.from([head, shared, added, units, counts].flat())
  const packed = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
  return packed.toString('base64')
}

function pushVarint(bytes: number[], value: number): void {
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128)
  bytes.push(value)
}
