// Assignment of documents to shards: a function of the external id and the names of all shards, the
// same on every instance. It is not stored.
import { compareText, type Hash, xxh3 } from '../../../format/bytes/index.ts'

/**
 * The shards as threads receive them: names in byte order, and whether this instance holds each.
 */
export type ShardSet = {
  readonly names: readonly string[]
  readonly held: readonly boolean[]
}

/** Terminates the name and the id; cannot occur in either, because both are UTF-8. */
const END = 0xff

/**
 * Rendezvous hashing: chooses the candidate whose hash together with the object is greatest; of
 * equal hashes the last. For many objects and the same candidates.
 */
export class Rendezvous {
  readonly #buffers: readonly { bytes: Uint8Array; view: DataView; prefix: number }[]
  readonly #hash: Hash = { high: 0, low: 0 }

  /** `names`: in byte order. */
  constructor(names: readonly string[]) {
    this.#buffers = names.map((name) => {
      const prefix = Buffer.from(name)
      const bytes = new Uint8Array(prefix.length + 1 + 512 + 1)
      bytes.set(prefix)
      bytes[prefix.length] = END
      return { bytes, view: new DataView(bytes.buffer), prefix: prefix.length + 1 }
    })
  }

  /** Returns the position of the winning name, or -1 if there are no names. */
  winner(object: Uint8Array): number {
    const hash = this.#hash
    let best = -1
    let high = 0
    let low = 0
    for (let i = 0; i < this.#buffers.length; i++) {
      let buffer = this.#buffers[i]!
      const length = buffer.prefix + object.length + 1
      if (length > buffer.bytes.length) buffer = widened(buffer, length)
      buffer.bytes.set(object, buffer.prefix)
      buffer.bytes[length - 1] = END
      xxh3(buffer.view, length, hash)
      if (best >= 0 && (hash.high < high || (hash.high === high && hash.low < low))) continue
      best = i
      high = hash.high
      low = hash.low
    }
    return best
  }
}

function widened(
  { bytes, prefix }: { readonly bytes: Uint8Array; readonly prefix: number },
  length: number,
): { bytes: Uint8Array; view: DataView; prefix: number } {
  const wide = new Uint8Array(length)
  wide.set(bytes.subarray(0, prefix))
  return { bytes: wide, view: new DataView(wide.buffer), prefix }
}

/** Returns the candidate elected for an object, or null if there are no candidates. */
export function elected(candidates: readonly string[], object: string): string | null {
  const names = candidates.toSorted(compareText)
  return names[new Rendezvous(names).winner(Buffer.from(object))] ?? null
}

/** Decides whether this instance holds the shard of a document. */
export class Holdings {
  readonly #rendezvous: Rendezvous
  readonly #held: readonly boolean[]

  constructor({ names, held }: ShardSet) {
    this.#rendezvous = new Rendezvous(names)
    this.#held = held
  }

  holds(externalId: Uint8Array): boolean {
    const shard = this.#rendezvous.winner(externalId)
    return shard >= 0 && this.#held[shard]!
  }
}

/**
 * The documents that an instance sends to another: documents whose old shard is one of `from`
 * (null: any) and whose new shard is one of `to`.
 */
export type Transfer = { readonly from: ShardSet | null; readonly to: ShardSet }

/** Returns the test of a transfer, for many documents. */
export function transferred({ from, to }: Transfer): (externalId: Uint8Array) => boolean {
  const wanted = new Holdings(to)
  const sent = from === null ? null : new Holdings(from)
  return (id) => wanted.holds(id) && (sent === null || sent.holds(id))
}
