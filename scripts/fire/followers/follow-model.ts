// Tracks the requests to a writer and its acknowledgements, document by document. The data of an
// instance must be one of the states that these allow.
import type { Random } from '../../../engine/store/storage/index.ts'

/** The version of a document, or null if it does not exist. */
type Version = number | null

type DocumentState = {
  /** Version of the last acknowledged request. */
  acknowledged: Version
  /** Versions of later requests, which may or may not have arrived. */
  readonly maybe: Set<Version>
  /** State at the last comparison, and the states that later requests may have produced. */
  compared: Version
  readonly since: Set<Version>
}

export type Request = {
  readonly index: string
  readonly kind: 'write' | 'delete' | 'settings'
  readonly ids: readonly number[]
  /** Unique; for a deletion the version of the request before it. */
  readonly version: number
}

export const INDEXES = ['a', 'b', 'c'] as const
/** The place of an index's settings among its documents: their version is one of its states. */
export const SETTINGS_ID = -1
/** Ids of documents are below this number. */
const IDS = 400
const WRITTEN_MAX = 60

/** Documents of one request share one word, so that a search finds all of them or none. */
const groupWord = (version: number): string => `group${version}x`

export class FollowModel {
  readonly #random: Random
  readonly #ids: number
  readonly #indexes = new Map<string, Map<number, DocumentState>>(
    INDEXES.map((uid) => [uid, new Map()]),
  )
  #version = 0
  #acknowledged = 0

  constructor(random: Random, ids = IDS) {
    this.#random = random
    this.#ids = ids
  }

  /** Number of acknowledged requests. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  next(): Request {
    const random = this.#random
    const index = INDEXES[random.below(INDEXES.length)]!
    const version = ++this.#version
    const isDeletion = random.below(8) === 0
    const count = 1 + random.below(isDeletion ? 4 : WRITTEN_MAX)
    const ids = new Set(Array.from({ length: count }, () => random.below(this.#ids)))
    return { index, kind: isDeletion ? 'delete' : 'write', ids: [...ids], version }
  }

  /** A change of the settings of an index. */
  nextSettings(): Request {
    const index = INDEXES[this.#random.below(INDEXES.length)]!
    return { index, kind: 'settings', ids: [SETTINGS_ID], version: ++this.#version }
  }

  documents({ ids, version }: Request): readonly object[] {
    return ids.map((id) => ({ id, version, text: this.#words(version) }))
  }

  /** Records that the request was sent: from now on it may have been executed. */
  sent({ index, kind, ids, version }: Request): void {
    for (const id of ids) {
      const { maybe, since } = this.#known(index, id)
      maybe.add(kind === 'delete' ? null : version)
      since.add(kind === 'delete' ? null : version)
    }
  }

  acknowledge({ index, kind, ids, version }: Request): void {
    this.#acknowledged++
    for (const id of ids) {
      const known = this.#known(index, id)
      known.acknowledged = kind === 'delete' ? null : version
      known.maybe.clear()
    }
  }

  /** Describes what is wrong with the writer's data of an index, or returns null. */
  problemOf(index: string, shown: ReadonlyMap<number, number>): string | null {
    for (const [id, { acknowledged, maybe }] of this.#indexes.get(index)!) {
      const version = shown.get(id) ?? null
      if (version === acknowledged || maybe.has(version)) continue
      return `${index}/${id} has version ${version}, and ${acknowledged} was acknowledged`
    }
    return null
  }

  /** The same for an instance with one of the states since the last comparison. */
  problemSince(index: string, shown: ReadonlyMap<number, number>): string | null {
    for (const [id, { compared, since }] of this.#indexes.get(index)!) {
      const version = shown.get(id) ?? null
      if (version === compared || since.has(version)) continue
      return `${index}/${id} has version ${version}, and had ${compared} when all was compared`
    }
    return null
  }

  /** Takes the data of an instance as the truth among several possible states. */
  settle(index: string, shown: ReadonlyMap<number, number>): void {
    for (const [id, known] of this.#indexes.get(index)!) {
      known.acknowledged = shown.get(id) ?? null
      known.compared = known.acknowledged
      known.maybe.clear()
      known.since.clear()
    }
  }

  #words(version: number): string {
    const count = 5 + this.#random.below(40)
    const filler = Array.from({ length: count }, () => this.#random.below(1 << 30).toString(36))
    return `${groupWord(version)} ${filler.join(' ')}`
  }

  #known(index: string, id: number): DocumentState {
    const documents = this.#indexes.get(index)!
    let known = documents.get(id)
    if (known === undefined) {
      known = { acknowledged: null, maybe: new Set(), compared: null, since: new Set() }
      documents.set(id, known)
    }
    return known
  }
}
