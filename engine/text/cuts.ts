// Finds the bounds of the tokens of a text, and the normaliser of each: the part of the analysis
// that reads the text as a whole. The normal form of a token depends on the token alone.
import { emojiEnd, LATIN, SCRIPTS } from './characters/index.ts'
import { languageOf } from './language.ts'
import { type Normalizer, normalizerFor } from './normalize.ts'
import { LONGER, type Patterns } from './patterns.ts'
import { type Run, runsOf } from './runs.ts'
import { isNumberPiece, type Segmenter, segmenterFor, WHOLE } from './segmenters/index.ts'

/** The tokens of one run: `ends` are units of the whole text, the first token begins at `from`. */
export type RunCuts = {
  readonly from: number
  readonly script: number
  readonly language: string | null
  readonly normalizer: Normalizer
  readonly ends: number[]
}

/**
 * Cuts a well-formed text into runs with at least one token each. Stops soon after `tokensMax`
 * tokens. `foldsAlike`: Japanese is normalised as if its language were a guess, even if it is among
 * `locales`.
 */
export function cutText(
  text: string,
  patterns: Patterns,
  locales: readonly string[] | null,
  tokensMax: number,
  foldsAlike = false,
): RunCuts[] {
  const isDeclared = !foldsAlike && locales?.includes('jpn') === true
  const cuts: RunCuts[] = []
  let tokens = 0
  for (const run of runsOf(text)) {
    const language = languageOf(run.script, run.counts, locales)
    const ends = cutRun(text, run, language, patterns, tokensMax - tokens)
    const normalizer = normalizerFor(run.script, language, isDeclared)
    cuts.push({ from: run.from, script: run.script, language, normalizer, ends })
    tokens += ends.length
    if (tokens >= tokensMax) break
  }
  return cuts
}

function cutRun(
  text: string,
  run: Run,
  language: string | null,
  patterns: Patterns,
  tokensMax: number,
): number[] {
  const pieces = new PieceCutter(text, run, segmenterFor(run.script, language))
  const starts = patterns.starts
  const ends: number[] = []
  let piece = run.from
  for (let i = run.from; i < run.to; ) {
    const start = starts[text.charCodeAt(i)]!
    let units: number = start
    if (start === LONGER) units = patterns.longest(text, i, run.to)
    if (units === 0) units = emojiEnd(text, i, run.to) - i
    if (units === 0) {
      i++
      continue
    }
    if (i > piece) pieces.cut(piece, i, ends)
    i += units
    ends.push(i)
    piece = i
    if (ends.length >= tokensMax) return ends
  }
  if (run.to > piece) pieces.cut(piece, run.to, ends)
  return ends
}

/** Cuts the pieces between the patterns of one run, which are requested in order. */
class PieceCutter {
  readonly #text: string
  readonly #run: Run
  readonly #segmenter: Segmenter
  /**
   * The cuts of the whole run, for a segmenter that takes runs, and how many of them are passed.
   */
  #bounds: number[] | null = null
  #passed = 0

  constructor(text: string, run: Run, segmenter: Segmenter) {
    this.#text = text
    this.#run = run
    this.#segmenter = segmenter
  }

  cut(from: number, to: number, ends: number[]): void {
    const segmenter = this.#segmenter
    if (segmenter === WHOLE || to === from + 1 || isNumberPiece(this.#text, from, to)) {
      ends.push(to)
    } else if (segmenter.takesRuns === true) {
      this.#cutByRun(from, to, ends)
    } else {
      segmenter.cut(this.#text, from, to, ends)
    }
  }

  #cutByRun(from: number, to: number, ends: number[]): void {
    if (this.#bounds === null) {
      this.#bounds = []
      this.#segmenter.cut(this.#text, this.#run.from, this.#run.to, this.#bounds)
    }
    const bounds = this.#bounds
    while (this.#passed < bounds.length && bounds[this.#passed]! <= from) this.#passed++
    for (let i = this.#passed; i < bounds.length && bounds[i]! < to; i++) ends.push(bounds[i]!)
    ends.push(to)
  }
}

/** Returns true if Latin text in these locales is analysed as it is without locales. */
export function latinIsPlain(locales: readonly string[] | null): boolean {
  const language = languageOf(LATIN, { han: 0, hiragana: 0, katakana: 0 }, locales)
  return (
    segmenterFor(LATIN, language) === WHOLE &&
    normalizerFor(LATIN, language) === normalizerFor(LATIN, null)
  )
}

/** Returns true if Latin words in these locales are compounds, which are split word by word. */
export const latinIsCompound = (locales: readonly string[]): boolean =>
  languageOf(LATIN, { han: 0, hiragana: 0, katakana: 0 }, locales) === 'deu'

/**
 * Returns true if words of a script are never split, in any language, so that scanning bytes finds
 * them.
 */
export const scriptIsPlain = (script: number): boolean =>
  script === LATIN || (SCRIPTS[script] !== 'Armenian' && alwaysWhole(script))

const alwaysWhole = (script: number): boolean =>
  [null, 'cmn', 'jpn', 'ara'].every((language) => segmenterFor(script, language) === WHOLE)
