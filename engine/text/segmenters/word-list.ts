// Word lists as files: sorted, each word as the number of units shared with the previous word and
// the remaining units, compressed.
// Layout: ./WORD-LISTS.md
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { assert } from '../../../format/errors.ts'
import { isSystemError, StorageError, storageCodeOf } from '../../model/index.ts'

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

/** Reads a list of the package. @throws StorageError if the file is missing or incomplete */
export function readWords(file: URL): WordList {
  try {
    return unpackWords(readFileSync(file))
  } catch (cause) {
    if (!isSystemError(cause)) throw cause
    const path = fileURLToPath(file)
    const message =
      `cannot read the word list \`${path}\` (${cause.code}): install the package again, or copy ` +
      'its folder `dist` whole'
    // Errors of Brotli have no system call. An incomplete file stays so: no task may wait for it.
    const code = cause.syscall === undefined ? 'short_file' : storageCodeOf(cause.code)
    throw new StorageError(code, path, message, { cause })
  }
}

/** Unpacks the bytes of a file. @throws the errors of Brotli */
export function unpackWords(file: Uint8Array): WordList {
  const bytes = brotliDecompressSync(file)
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
  assert(reader.at === bytes.length, 'a word list ends with its last count')
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

/** Returns the bytes of a file; each word has fewer than 256 units. */
export function packWords(words: ReadonlyMap<string, number>): Uint8Array {
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
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
}

function pushVarint(bytes: number[], value: number): void {
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128)
  bytes.push(value)
}
