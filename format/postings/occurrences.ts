// Decoded postings: documents with the occurrences of a term, in one growing buffer that calls
// share.
import { lengthened } from '../bytes/index.ts'

/**
 * Decoded occurrences: those of document i are packed[starts[i], starts[i + 1]). Reused between
 * calls.
 */
export class Occurrences {
  docs: Uint32Array = new Uint32Array(64)
  starts: Uint32Array = new Uint32Array(65)
  packed: Uint32Array = new Uint32Array(256)
  count = 0

  /** Removes all entries. Buffers for more than `keptMax` values are replaced by small ones. */
  clear(keptMax = Number.POSITIVE_INFINITY): void {
    if (this.packed.length > keptMax) this.packed = new Uint32Array(256)
    if (this.docs.length > keptMax) {
      this.docs = new Uint32Array(64)
      this.starts = new Uint32Array(65)
    }
    this.count = 0
    this.starts[0] = 0
  }

  /** Makes room for `docs` more documents. */
  reserveDocs(docs: number): void {
    const wanted = this.count + docs
    if (wanted <= this.docs.length) return
    const capacity = Math.max(wanted, this.docs.length * 2)
    this.docs = lengthened(this.docs, capacity)
    this.starts = lengthened(this.starts, capacity + 1)
  }

  /** Makes room for packed values up to index `end`, exclusive. */
  reservePacked(end: number): void {
    if (end > this.packed.length) {
      this.packed = lengthened(this.packed, Math.max(end, this.packed.length * 2))
    }
  }
}
