// Documents and queries for measuring searches: words distributed as in a natural language, so that
// queries find between a few documents and most of them. All of it follows from a seed.
import { type Random, randomOf } from '../../engine/store/storage/index.ts'

export type Doc = {
  readonly id: number
  readonly title: string
  readonly text: string
  readonly n: number
}
export type Query = { readonly q: string; readonly filter?: string }

const VOCABULARY = 4000
const QUERIES = 300
const TITLE_WORDS = 4
const TEXT_WORDS = 40
/** Every fourth query has a filter, of each kind of query the same share. */
const FILTER_EVERY = 4
const CONSONANTS = 'bdfgklmnprstvz'
const VOWELS = 'aeiou'
/** Shorter words are found only without typos. */
const TYPO_LETTERS_MIN = 5

/** Returns different words of four to eight letters. */
function vocabularyOf(random: Random): readonly string[] {
  const letter = (letters: string): string => letters[random.below(letters.length)]!
  const words = new Set<string>()
  while (words.size < VOCABULARY) {
    const length = 2 + random.below(3)
    words.add(Array.from({ length }, () => letter(CONSONANTS) + letter(VOWELS)).join(''))
  }
  return [...words]
}

/** Creates documents of some 300 bytes whose words are distributed as in a natural language. */
export function documentsOf(count: number, seed: number): readonly Doc[] {
  const random = randomOf(seed)
  const vocabulary = vocabularyOf(random)
  // The word of rank r occurs r times less often than the first one (Zipf).
  const word = (): string => {
    const rank = VOCABULARY ** (random.below(1_000_000) / 1_000_000)
    return vocabulary[Math.floor(rank) - 1]!
  }
  const text = (length: number): string => Array.from({ length }, word).join(' ')
  return Array.from({ length: count }, (_, id) => ({
    id,
    title: text(TITLE_WORDS),
    text: text(TEXT_WORDS),
    n: random.below(100),
  }))
}

/** Creates the `q` of a query of some words of a document that follow one another. */
const KINDS: readonly ((words: readonly string[]) => string)[] = [
  ([first]) => first!,
  ([first, second]) => `${first} ${second}`,
  ([first, second, third]) => `${first} ${second} ${third}`,
  ([first]) => first!.slice(0, Math.ceil(first!.length / 2)),
  (words) => withTypo(words.find(({ length }) => length >= TYPO_LETTERS_MIN) ?? words[0]!),
]

/** Replaces a letter in the middle by one that no word has. */
function withTypo(word: string): string {
  const middle = Math.floor(word.length / 2)
  return `${word.slice(0, middle)}x${word.slice(middle + 1)}`
}

export function queriesOf(docs: readonly Doc[], seed: number): readonly Query[] {
  const random = randomOf(seed + 1)
  return Array.from({ length: QUERIES }, (_, i) => {
    const words = docs[random.below(docs.length)]!.text.split(' ')
    const q = KINDS[i % KINDS.length]!(words.slice(random.below(words.length / 2)))
    return i % FILTER_EVERY === 0 ? { q, filter: `n < ${10 + random.below(80)}` } : { q }
  })
}
