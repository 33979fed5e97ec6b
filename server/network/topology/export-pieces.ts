// Reads the documents that an export sends: in small pieces, one at a time for all remotes, with a
// pause after each piece, so that searches find a free thread. Several pieces are one part, which
// is one request and one task of the remote.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hash, NEWLINE, xxh3 } from '../../../format/bytes/index.ts'
import { PART_BYTES, PIECE_BYTES, PIECE_PAUSE_MS_MAX } from '../calls/index.ts'

/** Reads the piece after a document; -1 stands for the beginning. */
export type ReadPiece = (after: number, bytesMax: number) => Promise<Uint8Array>

type PieceHead = {
  readonly total: number
  readonly documents: number
  readonly last: number | null
}

export type ExportedPart = PieceHead & {
  readonly ndjson: Uint8Array
  /** A key of the documents: it follows from their hashes. */
  readonly key: string
}

export class ExportPieces {
  readonly #now: () => number
  #previous: Promise<unknown> = Promise.resolve()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the part after a document. @throws EngineFault, StorageError, Canceled */
  async part(read: ReadPiece, after: number): Promise<ExportedPart> {
    const pieces: Uint8Array[] = []
    let [bytes, documents, high, low] = [0, 0, 0, 0]
    for (let last = after; ; ) {
      const answer = await this.#inTurn(() => read(last, PIECE_BYTES))
      const end = answer.indexOf(NEWLINE)
      const head = JSON.parse(Buffer.from(answer.subarray(0, end)).toString()) as PieceHead
      const piece = answer.subarray(end + 1)
      pieces.push(piece)
      bytes += piece.length
      documents += head.documents
      const hash = hashOf(piece)
      // Pieces in another order have another key.
      high = (Math.imul(high, 31) + hash.high) >>> 0
      low = (Math.imul(low, 31) + hash.low) >>> 0
      if (head.last !== null && bytes + PIECE_BYTES <= PART_BYTES) {
        last = head.last
        continue
      }
      const ndjson = pieces.length === 1 ? piece : Buffer.concat(pieces)
      return { ...head, documents, ndjson, key: keyOf(high, low) }
    }
  }

  /** Runs after all earlier pieces and their pauses. */
  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    let began = 0
    const result = this.#previous.then(() => {
      began = this.#now()
      return read()
    })
    const pause = (): Promise<void> => sleep(Math.min(this.#now() - began, PIECE_PAUSE_MS_MAX))
    this.#previous = result.then(pause, () => undefined)
    return result
  }
}

/** Returns a key of bytes: 52 bits of their hash. */
export function keyOfBytes(bytes: Uint8Array): string {
  const { high, low } = hashOf(bytes)
  return keyOf(high, low)
}

const keyOf = (high: number, low: number): string => String((high & 0xfffff) * 2 ** 32 + low)

function hashOf(bytes: Uint8Array): Hash {
  const hash: Hash = { high: 0, low: 0 }
  xxh3(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length, hash)
  return hash
}
