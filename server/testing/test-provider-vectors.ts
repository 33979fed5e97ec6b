// Vectors of the scripted provider. Each word has a fixed direction that looks random; a text has
// the normalized sum of its words' directions. Words of nearly the same meaning share a direction.

const SAME_MEANING: readonly (readonly [word: string, ...others: string[]])[] = [
  ['car', 'automobile', 'vehicle'],
  ['cat', 'kitten', 'feline'],
  ['dog', 'puppy', 'hound'],
  ['boat', 'ship', 'vessel'],
  ['sea', 'ocean'],
  ['king', 'monarch', 'ruler'],
  ['fast', 'speedy', 'quick'],
  ['food', 'meal', 'dish'],
  ['wood', 'timber'],
  ['chair', 'seat', 'stool'],
  ['lamp', 'illumination', 'light'],
]
const MEANINGS = new Map(
  SAME_MEANING.flatMap(([word, ...others]) => others.map((other) => [other, word] as const)),
)
const DIGITS = 6
const PLURAL_LENGTH_MIN = 4

export function wordVector(text: string, dimensions: number): number[] {
  const sum = new Float64Array(dimensions)
  for (const word of wordsOf(text)) {
    const bytes = Buffer.from(word)
    for (let d = 0; d < dimensions; d++) sum[d]! += hash(bytes, d + 1) / 2 ** 31 - 1
  }
  const length = Math.hypot(...sum) || 1
  return Array.from(sum, (value) => Number((value / length).toFixed(DIGITS)))
}

/** Splits a text into words; an empty text counts as one empty word. */
function wordsOf(text: string): readonly string[] {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ['']
  return words.map((word) => {
    const isPlural = word.length >= PLURAL_LENGTH_MIN && word.endsWith('s')
    const single = isPlural ? word.slice(0, -1) : word
    return MEANINGS.get(single) ?? single
  })
}

/** FNV-1a with a seed, then mixed: 32 bits. */
function hash(bytes: Uint8Array, seed: number): number {
  let state = 0x811c9dc5 ^ seed
  for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193)
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d)
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39)
  return (state ^ (state >>> 15)) >>> 0
}
