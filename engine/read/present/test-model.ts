// A naive model of formatting, written from docs/search-semantics.md#formatting: one text at a
// time, on the analyzer's tokens, with every needle tried at every word. For the tests of this
// folder.
import type { Analyzer, Token } from '../../text/index.ts'
import type { GraphNode, Phrase, QueryGraph } from '../query-graph/index.ts'

/** The words and phrases that one node of the query matches. */
type Needle = {
  readonly node: GraphNode
  readonly words: readonly (readonly string[])[]
  readonly phrases: readonly Phrase[]
}

/** A match: tokens, words and positions are inclusive, UTF-16 offsets are not. */
export type ModelMatch = {
  readonly from: number
  readonly to: number
  readonly tokenFirst: number
  readonly tokenLast: number
  readonly wordFirst: number
  readonly wordLast: number
  readonly positionFirst: number
  readonly positionLast: number
}

export type ModelOptions = {
  readonly highlight: boolean
  readonly cropWords: number
  readonly pre: string
  readonly post: string
  readonly marker: string
}

const points = (text: string): number => [...text].length

export class TextModel {
  readonly #analyzer: Analyzer
  readonly #needles: readonly Needle[]

  constructor(analyzer: Analyzer, graph: QueryGraph | null) {
    this.#analyzer = analyzer
    const nodes = graph === null ? [] : [...graph.present()].map(([, node]) => node)
    const span = (node: GraphNode): number => node.positionLast - node.positionFirst
    this.#needles = nodes.sort((a, b) => span(b) - span(a)).map(needleOf)
  }

  tokens(text: string): readonly Token[] {
    return this.#analyzer.tokenize(text, null, { charMaps: true, ignoreStopWords: true })
  }

  matches(text: string): readonly ModelMatch[] {
    const tokens = this.tokens(text)
    const wordTokens = [...tokens.keys()].filter((i) => tokens[i]!.kind === 'word')
    const matches: ModelMatch[] = []
    for (let word = 0; word < wordTokens.length; ) {
      const match = this.#matchAt(text, tokens, wordTokens, word)
      if (match !== null) matches.push(match)
      word = match === null ? word + 1 : match.wordLast + 1
    }
    let last = 0
    return matches.flatMap((match) => {
      const from = Math.max(last, borderOf(text, match.from, 'before'))
      const to = borderOf(text, match.to, 'behind')
      if (to <= from) return []
      last = to
      return [{ ...match, from, to }]
    })
  }

  #matchAt(
    text: string,
    tokens: readonly Token[],
    wordTokens: readonly number[],
    word: number,
  ): ModelMatch | null {
    const lemmaOf = (i: number): string | null =>
      i < wordTokens.length ? tokens[wordTokens[i]!]!.lemma : null
    const match = (node: GraphNode, words: number, to: number): ModelMatch => ({
      from: tokens[wordTokens[word]!]!.start,
      to,
      tokenFirst: wordTokens[word]!,
      tokenLast: wordTokens[word + words - 1]!,
      wordFirst: word,
      wordLast: word + words - 1,
      positionFirst: node.positionFirst,
      positionLast: node.positionLast,
    })
    for (const { node, phrases } of this.#needles) {
      for (const { isPrefix, words } of phrases) {
        const isThere = words.every((part, i) => {
          const lemma = lemmaOf(word + i)
          const isTail = isPrefix && i === words.length - 1
          return isTail ? lemma?.startsWith(part) === true : lemma === part
        })
        if (!isThere) continue
        const last = tokens[wordTokens[word + words.length - 1]!]!
        const tail = words.at(-1)!
        return match(
          node,
          words.length,
          isPrefix ? this.#prefixEnd(text, last, points(tail)) : last.end,
        )
      }
    }
    const token = tokens[wordTokens[word]!]!
    if (token.lemma === '') return null
    for (const { node, words } of this.#needles) {
      if (node.term.isPrefix || !words.flat().includes(token.lemma)) continue
      return match(node, 1, token.end)
    }
    for (const { node, words } of this.#needles) {
      if (!node.term.isPrefix) continue
      for (const list of words) {
        const [begun] = list
          .filter((one) => token.lemma.startsWith(one))
          .sort((a, b) => a.length - b.length)
        if (begun === undefined) continue
        const chars = Math.min(points(node.term.text!), points(begun))
        return match(node, 1, this.#prefixEnd(text, token, chars))
      }
    }
    return null
  }

  /** Returns the end of the fewest characters of a token whose normal form has `chars`. */
  #prefixEnd(text: string, token: Token, chars: number): number {
    const map = token.charMap
    let wanted = Buffer.byteLength([...token.lemma].slice(0, chars).join(''))
    let end = token.start
    for (const [i, char] of [...text.slice(token.start, token.end)].entries()) {
      if (wanted <= 0) break
      wanted -= map === null ? Buffer.byteLength(char) : map[2 * i + 1]!
      end += char.length
    }
    return end
  }

  /** Returns the text with tags and crop markers. */
  format(text: string, options: ModelOptions): string {
    const matches = this.matches(text)
    const tokens = this.tokens(text)
    const { cropWords, highlight, pre, post, marker } = options
    let [from, to] = [0, text.length]
    const words = tokens.filter(({ kind }) => kind === 'word').length
    if (cropWords > 0 && words >= cropWords) {
      const { first, end } = cropWindow(tokens, matches, cropWords)
      from = first > 0 ? borderOf(text, tokens[first]!.start, 'before') : 0
      to = end < tokens.length ? borderOf(text, tokens[end]!.start, 'behind') : text.length
    }
    let out = from > 0 ? marker : ''
    let at = from
    for (const match of highlight ? matches : []) {
      const [begin, end] = [Math.max(match.from, from), Math.min(match.to, to)]
      if (begin >= end) continue
      out += text.slice(at, begin) + pre + text.slice(begin, end) + post
      at = end
    }
    return out + text.slice(at, to) + (to < text.length ? marker : '')
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Returns the border of what people see as characters at `at`, or the nearest one. */
function borderOf(text: string, at: number, side: 'before' | 'behind'): number {
  const borders = [...graphemes.segment(text)].map(({ index }) => index)
  borders.push(text.length)
  return side === 'before'
    ? borders.findLast((one) => one <= at)!
    : borders.find((one) => one >= at)!
}

function needleOf(node: GraphNode): Needle {
  const { term } = node
  if (term.phrase !== null) {
    return { node, words: [], phrases: [term.phrase] }
  }
  const { exact, prefixWords, phrases } = term.zero()
  const { one, two } = term.computed
  const zero = exact === null ? prefixWords : [exact, ...prefixWords]
  return {
    node,
    words: [zero, one?.words ?? [], two ?? []].map((list) => list.map(({ text }) => text)),
    phrases: [...phrases, ...(one?.splits ?? [])],
  }
}

/** The window of a text with at least `size` words, as tokens [first, end). */
function cropWindow(
  tokens: readonly Token[],
  matches: readonly ModelMatch[],
  size: number,
): { readonly first: number; readonly end: number } {
  const isWord = (i: number): boolean => tokens[i]!.kind === 'word'
  if (matches.length === 0) return grown(tokens, 0, 0, size)
  const fits = (from: number, to: number): boolean =>
    matches[to]!.wordLast - matches[from]!.wordFirst < size
  const intervals = matches.flatMap((_, from) =>
    matches.flatMap((_, to) => {
      const isAdmissible = from === to || (from < to && fits(from, to))
      if (!isAdmissible || (to + 1 < matches.length && fits(from, to + 1))) return []
      return from > 0 && fits(from - 1, to) ? [] : [{ from, to }]
    }),
  )
  const scored = intervals.map(({ from, to }) => ({ from, to, score: scoreOf(matches, from, to) }))
  const best = scored.reduce((a, b) => (compareScores(b.score, a.score) > 0 ? b : a))
  const first = matches[best.from]!.tokenFirst
  const covered = matches[best.to]!.wordLast - matches[best.from]!.wordFirst + 1
  if (covered > size) {
    let end = first
    for (let words = 0; words < size; end++) if (isWord(end)) words++
    return { first: 0, end }
  }
  return grown(tokens, first, matches[best.to]!.tokenLast + 1, size - covered)
}

/** Distinct query positions, tightness, and matches in the order of the query. */
function scoreOf(matches: readonly ModelMatch[], from: number, to: number): readonly number[] {
  const positions = new Set<number>()
  let tightness = 0
  let ordered = 0
  for (let i = from; i <= to; i++) {
    const { positionFirst, positionLast, wordFirst, wordLast } = matches[i]!
    for (let p = positionFirst; p <= positionLast; p++) positions.add(p)
    tightness -= wordLast - wordFirst
    ordered += wordLast - wordFirst
    if (i === from) continue
    tightness -= Math.min(7, wordFirst - matches[i - 1]!.wordLast)
    if (positionFirst > matches[i - 1]!.positionLast) ordered++
  }
  return [positions.size, tightness, ordered]
}

function compareScores(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((value, at) => value !== b[at])
  return i < 0 ? 0 : a[i]! - b[i]!
}

/** Extends a window by `left` words, on both sides. */
function grown(
  tokens: readonly Token[],
  from: number,
  to: number,
  left: number,
): { readonly first: number; readonly end: number } {
  let [first, end] = [from, to]
  const takeBefore = (): void => {
    if (tokens[--first]!.kind === 'word') left--
  }
  const takeAfter = (): void => {
    if (tokens[end++]!.kind === 'word') left--
  }
  while (left > 0 && (first > 0 || end < tokens.length)) {
    const before = tokens[first - 1]?.kind
    const after = tokens[end]?.kind
    if (before === undefined) takeAfter()
    else if (after === undefined) takeBefore()
    else if (before === 'word' && after === 'word') {
      takeBefore()
      if (left > 0) takeAfter()
    } else if (before === 'word') takeBefore()
    else if (after === 'word') takeAfter()
    else if (before === after) {
      takeBefore()
      if (left > 1) takeAfter()
    } else if (before === 'softSeparator') takeBefore()
    else takeAfter()
  }
  return { first, end }
}
