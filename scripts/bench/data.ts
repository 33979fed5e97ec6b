// Data for benchmarks, generated from seeds: words with natural frequencies, texts, documents. The
// same on every machine, so that results can be compared.
import { type Random, randomOf } from '../../engine/store/storage/index.ts'

const ENCODER = new TextEncoder()
const ONSETS =
  'b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh sl sp st th tr'.split(' ')
const VOWELS = 'a e i o u ai ea io ou'.split(' ')
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'm', 'nd', 'ng', 'st', 'ck']
const CHINESE =
  '我们 今天 天气 很 好 北京 大学 学生 老师 中国 世界 时间 问题 工作 生活 城市 音乐 电影 公司 技术 搜索 引擎 数据 文件 系统 的 是 在 和 有 不 了'
const JAPANESE =
  '今日 は とても 良い 天気 です 東京 大学 の 学生 が 検索 エンジン を 作り ます データ コンピューター 言葉 時間 世界 音楽 映画'

/** `count` different words of Latin letters, frequent ones short. */
export function makeWords(count: number, seed = 1): string[] {
  const random = randomOf(seed)
  const pick = (from: readonly string[]): string => from[random.below(from.length)]!
  const words = new Set<string>()
  while (words.size < count) {
    const syllables = 1 + random.below(words.size < 200 ? 2 : 4)
    let word = ''
    for (let i = 0; i < syllables; i++) word += pick(ONSETS) + pick(VOWELS) + pick(CODAS)
    words.add(word)
  }
  return [...words]
}

/** Draws from `words` so that the n-th is n times as rare as the first (Zipf). */
export class WordSource {
  readonly #words: readonly string[]
  readonly #ends: Float64Array
  readonly #random: Random

  constructor(words: readonly string[], seed: number) {
    this.#words = words
    this.#random = randomOf(seed)
    this.#ends = new Float64Array(words.length)
    let sum = 0
    for (let i = 0; i < words.length; i++) this.#ends[i] = sum += 1 / (i + 2)
  }

  next(): string {
    const ends = this.#ends
    const at = (this.#random.below(2 ** 31) / 2 ** 31) * ends[ends.length - 1]!
    let low = 0
    let high = ends.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (ends[middle]! <= at) low = middle + 1
      else high = middle
    }
    return this.#words[low]!
  }

  /** Sentences of `count` words, with commas and capitals. */
  text(count: number): string {
    let text = ''
    let atStart = true
    for (let i = 0; i < count; i++) {
      const word = this.next()
      text += atStart ? word[0]!.toUpperCase() + word.slice(1) : word
      atStart = this.#random.below(12) === 0
      if (i < count - 1) text += atStart ? '. ' : this.#random.below(10) === 0 ? ', ' : ' '
    }
    return `${text}.`
  }
}

/** Text without spaces, of common words of the language. */
export function makeWideText(language: 'chinese' | 'japanese', words: number, seed = 3): string {
  const list = (language === 'chinese' ? CHINESE : JAPANESE).split(' ')
  const random = randomOf(seed)
  let text = ''
  for (let i = 0; i < words; i++) {
    text += list[random.below(list.length)]!
    if (random.below(15) === 0) text += '。'
  }
  return text
}

/** `count` ascending ids below `bound`, all different. */
export function makeIds(count: number, bound: number, seed: number): Uint32Array {
  const random = randomOf(seed)
  const ids = new Set<number>()
  while (ids.size < count) ids.add(random.below(bound))
  return Uint32Array.from(ids).sort()
}

const GENRES = ['Action', 'Comedy', 'Crime', 'Drama', 'Fantasy', 'History', 'Horror', 'War']

export type MadeDocument = {
  readonly id: number
  readonly title: string
  readonly overview: string
  readonly genres: readonly string[]
  readonly director: string
  readonly year: number
  readonly rating: number
  readonly inStock: boolean
}

/** Documents like those of a catalogue of films: about 420 bytes of JSON each. */
export function makeDocuments(count: number, seed = 5): MadeDocument[] {
  const words = makeWords(20_000)
  const titles = new WordSource(words, seed)
  const texts = new WordSource(words, seed + 1)
  const random = randomOf(seed + 2)
  return Array.from({ length: count }, (_, id) => ({
    id,
    title: titles.text(2 + random.below(4)).slice(0, -1),
    overview: texts.text(25 + random.below(40)),
    genres: GENRES.slice(random.below(4), 4 + random.below(4)),
    director: `${words[random.below(3_000)]} ${words[random.below(3_000)]}`,
    year: 1920 + random.below(105),
    rating: random.below(101) / 10,
    inStock: random.below(4) !== 0,
  }))
}

export const linesOf = (documents: readonly object[]): Uint8Array =>
  ENCODER.encode(documents.map((document) => `${JSON.stringify(document)}\n`).join(''))

/** Keys in the order of their bytes, each once. */
export function sortedKeys(words: readonly string[]): Uint8Array[] {
  const keys = [...new Set(words)].map((word) => ENCODER.encode(word))
  return keys.sort((a, b) => Buffer.compare(a, b))
}

/** Collects the output of a writer; `bytes` is a copy. */
export function collector(): {
  readonly sink: (bytes: Uint8Array) => void
  bytes: () => Uint8Array
} {
  const parts: Uint8Array[] = []
  return {
    sink: (bytes) => {
      parts.push(bytes.slice())
    },
    bytes: () => {
      const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
      let at = 0
      for (const part of parts) {
        all.set(part, at)
        at += part.length
      }
      return all
    },
  }
}
