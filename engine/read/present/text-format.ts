// Formats one text: puts tags around its matches, and crops it to some words around them
// (docs/search-semantics.md#formatting). Converts bytes to bytes of JSON.
import { encoder, QUOTE } from '../../../format/bytes/index.ts'
import {
  canonicalNumber,
  isCanonicalNumber,
  JsonBuffer,
  numberText,
  skipString,
  writeJsonString,
} from '../../../format/json/index.ts'
import type { Analyzer, Stemming } from '../../text/index.ts'
import { CropWindow } from './crop-window.ts'
import type { FormatRequest, TextFormat } from './format-options.ts'
import { graphemeEnd, graphemeStart } from './graphemes.ts'
import type { Matcher } from './matcher.ts'
import { END, START, TextMatches } from './text-matches.ts'
import { TextReader } from './text-reader.ts'

export class TextFormatter {
  /** Matches of the text read last, as offsets into the bytes it was read from; see `from`. */
  readonly matches = new TextMatches()
  readonly #matcher: Matcher
  readonly #matchesNumbers: boolean
  readonly #text: TextReader
  readonly #window = new CropWindow()
  readonly #preTag: Uint8Array
  readonly #postTag: Uint8Array
  readonly #cropMarker: Uint8Array

  constructor(analyzer: Analyzer, matcher: Matcher, request: FormatRequest) {
    this.#matcher = matcher
    this.#matchesNumbers = matcher.matchesNumbers
    this.#text = new TextReader(analyzer, matcher)
    this.#preTag = inside(request.highlightPreTag)
    this.#postTag = inside(request.highlightPostTag)
    this.#cropMarker = inside(request.cropMarker)
  }

  /** Sets the stems of the words of further texts. */
  useStems(stemming: Stemming | null): void {
    this.#text.found.stemming = stemming
  }

  /** Start of the text read last, as an offset like those of its matches. */
  get from(): number {
    return this.#text.from
  }

  /** Finds the matches in the JSON string at `at`; returns the offset after it. */
  findInString(bytes: Uint8Array, at: number, locales: readonly string[] | null): number {
    if (this.#matcher.isEmpty) {
      this.matches.count = 0
      return skipString(bytes, at)
    }
    const end = this.#text.readString(bytes, at, locales, 0)
    this.#find()
    return end
  }

  /** Finds the matches in the text of the number bytes[from, to). */
  findInNumber(
    bytes: Uint8Array,
    from: number,
    to: number,
    locales: readonly string[] | null,
  ): void {
    this.matches.count = 0
    if (!this.#matchesNumbers) return
    this.#readNumber(bytes, from, to, locales, 0)
    this.#find()
  }

  /** Appends the JSON string at `at`, formatted; returns the offset after it. */
  writeString(
    bytes: Uint8Array,
    at: number,
    { highlight, cropWords }: TextFormat,
    locales: readonly string[] | null,
    out: JsonBuffer,
  ): number {
    if (cropWords === 0 && (!highlight || this.#matcher.isEmpty)) {
      const end = skipString(bytes, at)
      out.append(bytes, at, end)
      return end
    }
    const end = this.#text.readString(bytes, at, locales, cropWords)
    this.#find()
    const whole = cropWords === 0 || this.#text.words < cropWords
    if (whole && (!highlight || this.matches.count === 0)) out.append(bytes, at, end)
    else this.#write(highlight, cropWords, out)
    return end
  }

  /** Appends the number bytes[from, to) as a string, formatted. */
  writeNumber(
    bytes: Uint8Array,
    from: number,
    to: number,
    { highlight, cropWords }: TextFormat,
    locales: readonly string[] | null,
    out: JsonBuffer,
  ): void {
    if (cropWords === 0 && !(highlight && this.#matchesNumbers)) {
      const text = canonical(bytes, from, to)
      out.byte(QUOTE)
      if (text === null) out.append(bytes, from, to)
      else appendAll(text, out)
      out.byte(QUOTE)
      return
    }
    this.#readNumber(bytes, from, to, locales, cropWords)
    this.#find()
    this.#write(highlight, cropWords, out)
  }

  #find(): void {
    const { found, from, source, to } = this.#text
    this.matches.find(found, this.#matcher)
    this.matches.align(source, from, to)
  }

  #readNumber(
    bytes: Uint8Array,
    from: number,
    to: number,
    locales: readonly string[] | null,
    cropWords: number,
  ): void {
    const text = canonical(bytes, from, to)
    if (text === null) this.#text.readText(bytes, from, to, locales, cropWords)
    else this.#text.readText(text, 0, text.length, locales, cropWords)
  }

  /** Appends the text that was read last. */
  #write(highlight: boolean, cropWords: number, out: JsonBuffer): void {
    const { tokens, from, source, to, words } = this.#text
    let first = from
    let end = to
    if (cropWords > 0 && words >= cropWords) {
      const window = this.#window
      window.find(tokens, this.matches, cropWords)
      if (window.first > 0) first = graphemeStart(source, from, to, tokens.starts[window.first]!)
      if (window.end < tokens.count) {
        end = graphemeEnd(source, from, to, tokens.starts[window.end]!)
      }
    }
    out.byte(QUOTE)
    if (first > from) appendAll(this.#cropMarker, out)
    if (highlight) this.#mark(first, end, out)
    else this.#append(first, end, out)
    if (end < to) appendAll(this.#cropMarker, out)
    out.byte(QUOTE)
  }

  /** Appends the text from `first` to `end` with tags around the matches, which may be clipped. */
  #mark(first: number, end: number, out: JsonBuffer): void {
    const { matches } = this
    let at = first
    for (let i = 0; i < matches.count && matches.get(i, START) < end; i++) {
      if (matches.get(i, END) <= first) continue
      const from = Math.max(matches.get(i, START), first)
      const to = Math.min(matches.get(i, END), end)
      this.#append(at, from, out)
      appendAll(this.#preTag, out)
      this.#append(from, to, out)
      appendAll(this.#postTag, out)
      at = to
    }
    this.#append(at, end, out)
  }

  #append(from: number, to: number, out: JsonBuffer): void {
    if (!this.#text.escaped) {
      out.append(this.#text.source, from, to)
      return
    }
    // Removes the quotes of the string.
    const quote = out.length
    writeJsonString(out, this.#text.source, from, to)
    out.bytes.copyWithin(quote, quote + 1, out.length - 1)
    out.length -= 2
  }
}

/**
 * Returns the number bytes[from, to) as clients see it, or null if it is written that way already.
 */
function canonical(bytes: Uint8Array, from: number, to: number): Uint8Array | null {
  if (isCanonicalNumber(bytes, from, to)) return null
  const sent = numberText(bytes, from, to)
  return encoder.encode(canonicalNumber(sent) ?? sent)
}

const appendAll = (bytes: Uint8Array, out: JsonBuffer): void => out.append(bytes, 0, bytes.length)

/** Encodes text for the inside of a JSON string. */
function inside(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  const out = new JsonBuffer(bytes.length + 2)
  writeJsonString(out, bytes, 0, bytes.length)
  return out.bytes.slice(1, out.length - 1)
}
