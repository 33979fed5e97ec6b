// Terms of a dictionary that match a prefix or a misspelled word, in byte order. The terms found by
// a walk over a large segment are cached: searches of the next view read the list again and
// continue the walk only after its end. Terms are those of the segment as written, including terms
// of dead documents.
import { compareText } from '../../../format/bytes/index.ts'
import type { KeyWalk } from '../../../format/fst/index.ts'
import type { TermOrdinal } from '../../../format/ids.ts'

/** A term found by a walk. */
export type StreamTerm = {
  readonly text: string
  /** Hash of its bytes: see `hashOf`. */
  readonly hash: number
  readonly ordinal: TermOrdinal
  /** Distance from the searched word; 0 for prefixes. */
  readonly distance: number
  readonly sameFirst: boolean
}

/** One walk, and the terms that callers have read so far. */
export class TermStream {
  readonly terms: StreamTerm[] = []
  #walk: KeyWalk | null

  constructor(walk: KeyWalk) {
    this.#walk = walk
  }

  /**
   * Returns the term at a position, or null after the last one. Positions are requested in
   * ascending order.
   */
  at(position: number): StreamTerm | null {
    if (position < this.terms.length) return this.terms[position]!
    const walk = this.#walk
    if (walk === null || !walk.next()) {
      this.#walk = null
      return null
    }
    const { text, hash, ordinal, distance, sameFirst } = walk
    const term = { text, hash, ordinal, distance, sameFirst }
    this.terms.push(term)
    return term
  }
}

/** A stream of a segment of the view. */
export type SegmentStream = { readonly stream: TermStream; readonly segment: number }

/**
 * Merges streams in byte order, each text once, with the first stream that has it; `visit` returns
 * false to stop.
 */
export function mergeStreams(
  streams: readonly SegmentStream[],
  visit: (term: StreamTerm, segment: number) => boolean,
): void {
  const [only] = streams
  if (only !== undefined && streams.length === 1) {
    for (let i = 0; ; i++) {
      const term = only.stream.at(i)
      if (term === null || !visit(term, only.segment)) return
    }
  }
  const at = new Uint32Array(streams.length)
  for (;;) {
    let least: StreamTerm | null = null
    let from = 0
    for (let s = 0; s < streams.length; s++) {
      const term = streams[s]!.stream.at(at[s]!)
      if (term === null || (least !== null && compareText(term.text, least.text) >= 0)) continue
      least = term
      from = s
    }
    if (least === null) return
    for (let s = 0; s < streams.length; s++) {
      if (streams[s]!.stream.at(at[s]!)?.text === least.text) at[s]!++
    }
    if (!visit(least, streams[from]!.segment)) return
  }
}

/**
 * Limits for all streams of a thread: a term is some hundred bytes, a stream a buffer of 4 KiB.
 * Streams grow without notice to the cache, so terms are counted when room is needed.
 */
const STREAMS_MAX = 2048
const TERMS_MAX = 100_000

export class StreamCache {
  readonly #streamsMax: number
  readonly #termsMax: number
  /** Least recently used first. */
  readonly #streams = new Map<string, TermStream>()
  #addedSince = 0

  constructor(streamsMax = STREAMS_MAX, termsMax = TERMS_MAX) {
    this.#streamsMax = streamsMax
    this.#termsMax = termsMax
  }

  get size(): number {
    return this.#streams.size
  }

  /** Returns the walk under `key`, started with `open` on first use. */
  stream(key: string, open: () => KeyWalk): TermStream {
    const cached = this.#streams.get(key)
    if (cached !== undefined) {
      this.#streams.delete(key)
      this.#streams.set(key, cached)
      return cached
    }
    const stream = new TermStream(open())
    this.#streams.set(key, stream)
    if (++this.#addedSince >= this.#streamsMax / 16) this.#makeRoom()
    return stream
  }

  #makeRoom(): void {
    this.#addedSince = 0
    let terms = 0
    for (const stream of this.#streams.values()) terms += stream.terms.length
    for (const [key, stream] of this.#streams) {
      if (terms <= this.#termsMax && this.#streams.size <= this.#streamsMax) return
      this.#streams.delete(key)
      terms -= stream.terms.length
    }
  }
}

/** Shared by all segments of this thread. */
export const THREAD_STREAMS = new StreamCache()
