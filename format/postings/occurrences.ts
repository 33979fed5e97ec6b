// Where terms occur, as postings are decoded to: one growing buffer that calls share.
import { lengthened } from '../bytes/index.ts'

/** Decoded occurrences: document i has packed[starts[i], starts[i + 1]). Reused between calls. */
export class Occurrences {
  docs: Uint32Array = new Uint32Array(64)
  starts: Uint32Array = new Uint32Array(65)
  packed: Uint32Array = new Uint32Array(256)
  count = 0

  /** Empties it; buffers for more than `keptMax` values are let go of. */
  clear(keptMax = Number.POSITIVE_INFINITY): void {
    if (this.packed.length > keptMax) this.packed = new Uint32Array(256)
    if (this.docs.length > keptMax) {
      this.docs = new Uint32Array(64)
      this.starts = new Uint32Array(65)
    }
    this.count = 0
    this.starts[0] = 0
  }

  /** Room for `docs` more documents. */
  reserveDocs(docs: number): void {
    const wanted = this.count + docs
    if (wanted <= this.docs.length) return
    const capacity = Math.max(wanted, this.docs.length * 2)
    this.docs = lengthened(this.docs, capacity)
    this.starts = lengthened(this.starts, capacity + 1)
  }

  /** Room for packed values up to index `end`. */
  reservePacked(end: number): void {
    if (end > this.packed.length) {
      this.packed = lengthened(this.packed, Math.max(end, this.packed.length * 2))
    }
  }
}
