// A partial answer that came from elsewhere: its hits are finished JSON, its counts are given.
import type { JsonBuffer } from '../../../format/json/index.ts'
import type { Facets } from './facets.ts'
import type { MergeKey } from './merge-order.ts'
import type { HitList, PartialAnswer } from './partial-answer.ts'

/** What is told of a hit beside its JSON. */
export type HitHead = {
  readonly key: MergeKey
  /** Tells the documents of one partial answer apart; means nothing elsewhere. */
  readonly document: number
  readonly pin: number | null
  readonly distinct: readonly string[]
  /** Length of its JSON. */
  readonly bytes: number
}

export type PartialHead = {
  readonly indexUid: string
  readonly total: number
  readonly degraded: boolean
  readonly hits: readonly HitHead[]
  readonly pinned: readonly HitHead[]
  readonly facets: Facets | null
}

export class ReceivedAnswer implements PartialAnswer {
  readonly skipped = 0
  readonly indexUid: string
  readonly degraded: boolean
  readonly hits: HitList
  readonly pinned: HitList
  readonly #total: number
  readonly #facets: Facets | null

  /** `payloads`: the JSON of the hits, then of the pinned hits; views that are kept. */
  constructor(head: PartialHead, payloads: readonly Uint8Array[]) {
    this.indexUid = head.indexUid
    this.degraded = head.degraded
    this.hits = new ReceivedHits(head.hits, payloads.slice(0, head.hits.length))
    this.pinned = new ReceivedHits(head.pinned, payloads.slice(head.hits.length))
    this.#total = head.total
    this.#facets = head.facets
  }

  /** At least zero, also where the sender counted less. */
  total(rejected: readonly number[]): number {
    return Math.max(0, this.#total - rejected.length)
  }

  /** As the sender counted them: hits that merging leaves out are still counted. */
  facets(): Facets | null {
    return this.#facets
  }
}

class ReceivedHits implements HitList {
  readonly #heads: readonly HitHead[]
  readonly #payloads: readonly Uint8Array[]

  constructor(heads: readonly HitHead[], payloads: readonly Uint8Array[]) {
    this.#heads = heads
    this.#payloads = payloads
  }

  get length(): number {
    return this.#heads.length
  }

  keyAt(at: number): MergeKey {
    return this.#heads[at]!.key
  }

  documentAt(at: number): number {
    return this.#heads[at]!.document
  }

  pinAt(at: number): number | null {
    return this.#heads[at]!.pin
  }

  /** Other instances do not tell. */
  isSemanticAt(): boolean {
    return false
  }

  distinctAt(at: number): readonly string[] {
    return this.#heads[at]!.distinct
  }

  write(at: number, out: JsonBuffer): void {
    const payload = this.#payloads[at]!
    out.append(payload, 0, payload.length)
  }
}
