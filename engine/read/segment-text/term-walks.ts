// How the terms of all segments of a view are visited in byte order: dictionaries that are walked,
// and one of the novel terms, which only the other segments have.
import { buildFst, Fst, type KeyWalk } from '../../../format/fst/index.ts'
import { mapped } from '../../runtime/index.ts'
import type { SegmentText } from './segment-text.ts'
import { type SegmentStream, TermStream } from './term-streams.ts'
import type { ViewSegments } from './view-segments.ts'

/** Registry size for building the dictionary of novel terms, which is small. */
const NOVEL_REGISTRY_NODES = 256

type Walks = {
  /** Segments whose dictionaries are walked. */
  readonly walked: readonly number[]
  /** Terms of the other segments that the largest ones lack. */
  readonly novel: Fst | null
}

export class TermWalks {
  readonly #view: ViewSegments
  #walks: Walks | null = null

  constructor(view: ViewSegments) {
    this.#view = view
  }

  prepare(): void {
    this.#walks ??= this.#find()
  }

  /** Returns a walk over each walked segment, and one over the novel terms of the others. */
  streams(
    ofLarge: (text: SegmentText) => TermStream,
    ofNovel: (novel: Fst) => KeyWalk,
  ): SegmentStream[] {
    const { texts } = this.#view
    const { novel, walked } = (this.#walks ??= this.#find())
    const streams: SegmentStream[] = mapped(walked, (segment) => ({
      stream: ofLarge(texts[segment]!),
      segment,
    }))
    if (novel !== null) streams.push({ stream: new TermStream(ofNovel(novel)), segment: -1 })
    return streams
  }

  #find(): Walks {
    const { segments, tables, novelFew } = this.#view
    const walked: number[] = []
    const novel: Uint8Array[] = []
    // Always the same dictionaries, so that a segment is compared once: a term that is novel to
    // them may be in another walked segment, and is merged there.
    const untabled = segments.flatMap(({ reader }, s) => (tables[s] === null ? [reader.fst] : []))
    for (let s = 0; s < segments.length; s++) {
      const terms = tables[s]?.novelTo(untabled) ?? null
      if (terms === null || terms.length > novelFew) walked.push(s)
      else for (const term of terms) novel.push(term)
    }
    const fst = novel.length === 0 ? null : new Fst(buildFst(novel, NOVEL_REGISTRY_NODES))
    return { novel: fst, walked }
  }
}
