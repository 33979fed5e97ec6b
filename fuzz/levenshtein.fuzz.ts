// Any query over one small dictionary: the walk finds the same keys as the computation of every
// distance. The first byte selects the options, the others are the query. Page:
// format/fst/LEVENSHTEIN.md

import { compareText } from '../format/bytes/index.ts'
import { assert } from '../format/errors.ts'
import { prefixDistance } from '../format/fst/distance.ts'
import { buildFst, editDistance, Fst, FuzzyCursor, type FuzzyOptions } from '../format/fst/index.ts'
import type { FuzzTarget } from './target.ts'

const WORDS = [
  '',
  'a',
  'ab',
  'aba',
  'abab',
  'abba',
  'b',
  'ba',
  'baab',
  'bab',
  'aaaa',
  'aabbaabb',
  'star',
  'stars',
  'start',
  'strat',
  'tsar',
  'art',
  'starting',
  'restart',
  'sartre',
  'é',
  'été',
  'étés',
  'ete',
  'тест',
  'тесто',
  'етст',
  '日本',
  '日本語',
  '本日',
  '日曜',
  '😀',
  '😀😁',
  '😁😀',
  'a😀b',
  '\ufffd',
  'ab\ufffd',
  'international',
  'internatoinal',
].sort(compareText)

const fst = new Fst(buildFst(WORDS.map((word) => new TextEncoder().encode(word))))

export const target: FuzzTarget = {
  name: 'levenshtein',
  seeds: () => WORDS.map((word, i) => new TextEncoder().encode(String.fromCharCode(i) + word)),
  run,
  // Every query is valid, so no error is allowed.
  allows: () => false,
  inputBytesMax: 48,
}

function run(input: Uint8Array): void {
  const options = optionsOf(input[0] ?? 0)
  const query = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.subarray(1))
  const cursor = new FuzzyCursor(fst, query, options)
  const found: string[] = []
  while (cursor.next()) {
    const { bytes, length, ordinal, distance, sameFirst } = cursor
    found.push(line(Buffer.from(bytes.subarray(0, length)).toString(), distance, sameFirst))
    assert(WORDS[ordinal] === Buffer.from(bytes.subarray(0, length)).toString(), 'the ordinal fits')
  }
  assert(found.join('\n') === expected(query, options).join('\n'), 'the walk finds what is near')
}

function expected(query: string, options: FuzzyOptions): string[] {
  const lines: string[] = []
  for (const word of WORDS) {
    const distance = options.prefix ? prefixDistance(query, word) : editDistance(query, word)
    const sameFirst = Array.from(word)[0] === Array.from(query)[0]
    const limit = sameFirst ? options.maxDistance : options.otherFirstDistanceMax
    if (distance <= limit) lines.push(line(word, distance, sameFirst))
  }
  return lines
}

const line = (word: string, distance: number, sameFirst: boolean): string =>
  `${word} ${distance} ${sameFirst}`

function optionsOf(choice: number): FuzzyOptions {
  const others = [-1, 0, 1, 2] as const
  const other = others[choice & 3]!
  const maxDistance = other === 2 || (choice & 4) !== 0 ? 2 : 1
  return { maxDistance, prefix: (choice & 8) !== 0, otherFirstDistanceMax: other }
}
