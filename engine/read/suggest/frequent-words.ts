// The words with a prefix that most documents have. The walk of `eachWithPrefix` gives them in byte
// order, which says nothing about their use; here the numbers of documents are read first, and
// only the words with the highest ones are looked up.
import { compareText, encoder, exactDecoder } from '../../../format/bytes/index.ts'
import type { TextReader } from '../../../format/postings/index.ts'
import type { TextIndex, Word } from '../segment-text/index.ts'

/**
 * Terms of one segment whose numbers of documents are read; further ones are left out. Reading one
 * is next to nothing, and a letter begins less than a tenth of the words of most languages.
 */
const TERMS_READ_MAX = 500_000
/** Numbers of documents that are told apart; higher ones count as this one. */
const FREQUENCY_MAX = 65_535

/**
 * Returns the live words that begin with `prefix`, without itself, at most `wordsMax`: those that
 * most documents contain, dead copies included, most first, then in byte order.
 */
export function frequentWithPrefix(index: TextIndex, prefix: string, wordsMax: number): Word[] {
  const frequencies = new Map<string, number>()
  const bytes = encoder.encode(prefix)
  for (const { reader } of index.segments) {
    for (const ordinal of frequentOrdinals(reader, bytes, wordsMax + 1)) {
      const text = exactDecoder.decode(reader.fst.key(ordinal))
      frequencies.set(text, (frequencies.get(text) ?? 0) + reader.documentFrequency(ordinal))
    }
  }
  frequencies.delete(prefix)
  const inOrder = [...frequencies].sort(([a, x], [b, y]) => y - x || compareText(a, b))
  const words: Word[] = []
  for (const [text] of inOrder) {
    const word = index.word(text)
    if (word !== null && words.push(word) === wordsMax) break
  }
  return words.sort((a, b) => b.frequencyMax - a.frequencyMax || compareText(a.text, b.text))
}

/** Returns the ordinals of the most frequent terms with a prefix, at most `count`, ascending. */
function frequentOrdinals(reader: TextReader, prefix: Uint8Array, count: number): number[] {
  const { from, to } = reader.fst.range(prefix)
  const end = Math.min(to, from + TERMS_READ_MAX)
  if (end - from <= count) return Array.from({ length: end - from }, (_, i) => from + i)
  const frequencies = new Uint16Array(end - from)
  const termsOf = new Uint32Array(FREQUENCY_MAX + 1)
  for (let ordinal = from; ordinal < end; ordinal++) {
    const frequency = Math.min(reader.documentFrequency(ordinal), FREQUENCY_MAX)
    frequencies[ordinal - from] = frequency
    termsOf[frequency]!++
  }
  let least = FREQUENCY_MAX
  let above = 0
  while (least > 0 && above + termsOf[least]! <= count) above += termsOf[least--]!
  // As many of the least frequent ones as there is room for, in byte order.
  let room = count - above
  const ordinals: number[] = []
  for (let i = 0; i < frequencies.length; i++) {
    const frequency = frequencies[i]!
    if (frequency > least || (frequency === least && room-- > 0)) ordinals.push(from + i)
  }
  return ordinals
}
