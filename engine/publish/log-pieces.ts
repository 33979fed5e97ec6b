// A log that only grows, as pieces of one length: those that were full the last time are the same
// objects in the store, so that a state costs the end of the log and not all of it.
import type { Archiver, PackedFile, Slice, SnapshotPiece } from '../backup/snapshot/index.ts'
import { PIECE_BYTES } from './limits.ts'

export class LogPieces {
  /** Of which file `#full` are pieces. */
  #path = ''
  #full: SnapshotPiece[] = []

  /** Costs a checksum of what was not full the last time. @throws StorageError, Canceled */
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
