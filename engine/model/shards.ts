// Which shard a document belongs to: a function of its external id and the names of all shards,
// the same on every instance. Nothing of it is stored.
import { compareText, type Hash, xxh3 } from '../../format/bytes/index.ts'

/** Shards as threads learn of them: names in byte order, and whether this instance holds each. */
export type ShardSet = {
  readonly names: readonly string[]
  readonly held: readonly boolean[]
}

/** Ends the name and the id: neither can hold it, both are UTF-8. */
const END = 0xff

/**
 * Rendezvous hashing: of all candidates the one whose hash together with the object is greatest;
 * of equal ones the last. For many objects and the same candidates.
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

  /** The position of the name that wins; -1: there are no names. */
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

/** The candidate that is elected for an object; null: there are no candidates. */
export function elected(candidates: readonly string[], object: string): string | null {
  const names = candidates.toSorted(compareText)
  return names[new Rendezvous(names).winner(Buffer.from(object))] ?? null
}

/** Tells of documents whether this instance holds their shard. */
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
 * Which documents an instance sends to another: those whose shard before is one of `from` (null: of
 * any) and whose shard afterwards is one of `to`.
 */
export type Transfer = { readonly from: ShardSet | null; readonly to: ShardSet }

/** The test of a transfer, for many documents. */
export function transferred({ from, to }: Transfer): (externalId: Uint8Array) => boolean {
  const wanted = new Holdings(to)
  const sent = from === null ? null : new Holdings(from)
  return (id) => wanted.holds(id) && (sent === null || sent.holds(id))
}
