// Checks that external ids are unique among the live documents of an index. It keeps hashes, 12
// bytes per document; the ids themselves are read only where two hashes are equal.
import { lengthened } from '../../format/bytes/index.ts'
import type { DocId, SegmentNo, U32Of } from '../../format/ids.ts'

export type IdHolder = {
  /** The segment, and the document in it. */
  readonly segment: SegmentNo
  readonly id: DocId
}

export class LiveExternalIds {
  #hashes = new Uint32Array(1024)
  #segments = new Uint32Array(1024) as U32Of<SegmentNo>
  #ids = new Uint32Array(1024)
  #count = 0

  /** Adds one live document. */
  add(hash: number, segment: SegmentNo, id: DocId): void {
    if (this.#count === this.#hashes.length) this.#grow()
    this.#hashes[this.#count] = hash
    this.#segments[this.#count] = segment
    this.#ids[this.#count++] = id
  }

  /**
   * Returns documents with the external id of another one, each with the first document that has
   * it. `read` returns the external id of a holder.
   */
  duplicates(read: (holder: IdHolder) => Uint8Array): readonly (readonly [IdHolder, IdHolder])[] {
    const repeated = this.#repeatedHashes()
    const first = new Map<string, IdHolder>()
    const found: (readonly [IdHolder, IdHolder])[] = []
    for (let i = 0; i < this.#count && repeated.size > 0; i++) {
      if (!repeated.has(this.#hashes[i]!)) continue
      const holder = { segment: this.#segments[i]!, id: this.#ids[i]! }
      const key = Buffer.from(read(holder)).toString('latin1')
      const other = first.get(key)
      if (other === undefined) first.set(key, holder)
      else found.push([other, holder])
    }
    return found
  }

  #repeatedHashes(): Set<number> {
    const sorted = this.#hashes.slice(0, this.#count).sort()
    const repeated = new Set<number>()
    for (let i = 1; i < sorted.length; i++) {
      if (sorted[i] === sorted[i - 1]) repeated.add(sorted[i]!)
    }
    return repeated
  }

  #grow(): void {
    this.#hashes = lengthened(this.#hashes, this.#hashes.length * 2)
    this.#segments = lengthened(this.#segments, this.#segments.length * 2)
    this.#ids = lengthened(this.#ids, this.#ids.length * 2)
  }
}
