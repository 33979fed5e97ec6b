// Splits a log that only grows into pieces of one length. Pieces that were full the last time are
// the same objects in the store, so that publishing a state sends only the end of the log.
import type { Archiver, PackedFile, Slice, SnapshotPiece } from '../../backup/snapshot/index.ts'
import { PIECE_BYTES } from './limits.ts'

export class LogPieces {
  /** The path of the file that `#full` belongs to. */
  #path = ''
  #full: SnapshotPiece[] = []

  /**
   * Computes checksums of the part that was not full the last time. @throws StorageError, Canceled
   */
  async of(
    { path, bytes, source }: PackedFile,
    digester: Archiver,
    signal: AbortSignal,
  ): Promise<readonly SnapshotPiece[]> {
    if (path !== this.#path) this.#full = []
    this.#path = path
    const fresh: Slice[] = []
    for (let from = this.#full.length * PIECE_BYTES; from < bytes; from += PIECE_BYTES) {
      fresh.push({ source, from, bytes: Math.min(PIECE_BYTES, bytes - from) })
    }
    const hooks = { signal, progress: () => undefined, onPart: () => Promise.resolve() }
    const { digests } = await digester.run({ kind: 'digest', files: fresh }, hooks)
    const pieces = fresh.map((slice, i) => ({ bytes: slice.bytes, sha256: digests[i]! }))
    const all = [...this.#full, ...pieces]
    this.#full = all.filter((piece) => piece.bytes === PIECE_BYTES)
    return all
  }
}
