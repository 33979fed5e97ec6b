// What a writer was sent and what it has acknowledged, document by document. What an instance
// shows must be one of the states that this allows.
import type { Random } from '../../engine/store/storage/index.ts'

/** The version of a document; null: it is not there. */
type Version = number | null

type Known = {
  /** Of the last request that was acknowledged. */
  acknowledged: Version
  /** Of requests after that one, of which it is not known whether they arrived. */
  readonly maybe: Set<Version>
  /** When all was compared last, and what requests since may have made of it. */
  compared: Version
  readonly since: Set<Version>
}

export type Request = {
  readonly index: string
  readonly kind: 'write' | 'delete'
  readonly ids: readonly number[]
  /** Unique; for a deletion the one that it comes with. */
  readonly version: number
}

export const INDEXES = ['a', 'b', 'c'] as const
const IDS = 400
const WRITTEN_MAX = 60

/** Documents of one request have one word, so that a search finds all of them or none. */
const groupWord = (version: number): string => `group${version}x`

export class FollowModel {
  readonly #random: Random
  readonly #indexes = new Map<string, Map<number, Known>>(INDEXES.map((uid) => [uid, new Map()]))
  #version = 0
  #acknowledged = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Requests that were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  next(): Request {
    const random = this.#random
    const index = INDEXES[random.below(INDEXES.length)]!
    const version = ++this.#version
    const isDeletion = random.below(8) === 0
    const count = 1 + random.below(isDeletion ? 4 : WRITTEN_MAX)
    const ids = new Set(Array.from({ length: count }, () => random.below(IDS)))
    return { index, kind: isDeletion ? 'delete' : 'write', ids: [...ids], version }
  }

  documents({ ids, version }: Request): readonly object[] {
    return ids.map((id) => ({ id, version, text: this.#words(version) }))
  }

  /** The request is on its way: from now on it may have been done. */
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

  /** What is wrong with what the writer shows of an index; null: nothing. */
  problemOf(index: string, shown: ReadonlyMap<number, number>): string | null {
    for (const [id, { acknowledged, maybe }] of this.#indexes.get(index)!) {
      const version = shown.get(id) ?? null
      if (version === acknowledged || maybe.has(version)) continue
      return `${index}/${id} has version ${version}, and ${acknowledged} was acknowledged`
    }
    return null
  }

  /** The same of an instance that has some state since all was compared last. */
  problemSince(index: string, shown: ReadonlyMap<number, number>): string | null {
    for (const [id, { compared, since }] of this.#indexes.get(index)!) {
      const version = shown.get(id) ?? null
      if (version === compared || since.has(version)) continue
      return `${index}/${id} has version ${version}, and had ${compared} when all was compared`
    }
    return null
  }

  /** What an instance shows is what happened: of several possible states that one. */
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

  #known(index: string, id: number): Known {
    const documents = this.#indexes.get(index)!
    let known = documents.get(id)
    if (known === undefined) {
      known = { acknowledged: null, maybe: new Set(), compared: null, since: new Set() }
      documents.set(id, known)
    }
    return known
  }
}
