// The heads of a store: their names, in the order of term and number, and their bytes. A head that
// cannot be read is skipped, and reported once.
import { BRACE, compareText } from '../../../format/bytes/index.ts'
import { steadyMs } from '../../time/index.ts'
import { ArchiveError, type ArchiveErrorCode } from '../archive/index.ts'
import { decodeHead, HEAD_BYTES_MAX, type SnapshotHead } from '../snapshot/index.ts'
import type { Bucket } from './bucket.ts'
import {
  type HeadKind,
  headKey,
  headsPrefix,
  nameInKey,
  positionOf,
  type StorePlace,
} from './keys.ts'
import { UNREADABLE_MS } from './limits.ts'

const KINDS: readonly HeadKind[] = ['snapshots', 'published']

/** A head, by name and kind. */
export type HeadRef = { readonly name: string; readonly kind: HeadKind }

export type FoundHead = HeadRef & { readonly head: SnapshotHead }

export const heads = {
  /** Returns the names of one kind, the oldest first. @throws EngineFault */
  async names(
    bucket: Bucket,
    place: StorePlace,
    kind: HeadKind = 'snapshots',
  ): Promise<readonly string[]> {
    const listed = await bucket.list(headsPrefix(place, kind))
    const names = listed.flatMap(({ key }) => nameInKey(place, key, kind) ?? [])
    return names.sort(compareText)
  },

  /** Returns all heads of both kinds, the oldest first. @throws EngineFault */
  async all(bucket: Bucket, place: StorePlace): Promise<readonly HeadRef[]> {
    const found: HeadRef[] = []
    for (const kind of KINDS) {
      for (const name of await heads.names(bucket, place, kind)) found.push({ name, kind })
    }
    return found.sort((a, b) => compareText(a.name, b.name))
  },

  /** @throws EngineFault, ArchiveError */
  async read(bucket: Bucket, place: StorePlace, ref: HeadRef): Promise<SnapshotHead> {
    const key = headKey(place, ref.name, ref.kind)
    const head = decodeHead(await smallObject(bucket, key, HEAD_BYTES_MAX))
    const { term, number } = positionOf(ref.name)
    if ((head.placed?.term ?? 0) !== term || (head.placed?.number ?? 0) !== number) {
      throw new ArchiveError('damaged', 'it was written under another name')
    }
    const bare = head.files.find(({ sha256, pieces }) => (sha256 ?? pieces ?? null) === null)
    if (bare === undefined) return head
    throw new ArchiveError('damaged', `its head has no checksum of \`${bare.path}\``)
  },

  /** @throws EngineFault */
  async exists(bucket: Bucket, place: StorePlace, { name, kind }: HeadRef): Promise<boolean> {
    return (await bucket.size(headKey(place, name, kind))) !== null
  },

  /** Returns the newest readable head of a list in ascending order, or null. @throws EngineFault */
  async newest(
    bucket: Bucket,
    place: StorePlace,
    refs: readonly HeadRef[],
    unreadable: UnreadableHeads,
  ): Promise<FoundHead | null> {
    for (const ref of refs.toReversed()) {
      if (unreadable.isKnown(ref)) continue
      const head = await unreadable.skipping(ref, () => heads.read(bucket, place, ref))
      if (head !== null) return { ...ref, head }
    }
    return null
  },
}

type Finding = {
  readonly code: ArchiveErrorCode
  readonly message: string
  readonly reads: number
  readonly at: number
}

/** The heads that this process could not read. */
export class UnreadableHeads {
  /** By kind and name. */
  readonly #found = new Map<string, Finding>()
  readonly #say: (message: string) => void

  /** `say`: called once for each unreadable head, with a message for the operator. */
  constructor(say: (message: string) => void) {
    this.#say = say
  }

  get count(): number {
    return this.#found.size
  }

  /**
   * Whether one of them may be a head all the same: of a newer release, or read only once, or one
   * that the store lists and does not return.
   */
  get hasDoubts(): boolean {
    const doubts = ({ code, reads }: Finding): boolean =>
      reads < 2 || code === 'newer' || code === 'missing'
    return [...this.#found.values()].some(doubts)
  }

  /** Returns whether it was found unreadable within the last minute. */
  isKnown(ref: HeadRef): boolean {
    const known = this.#found.get(pathOf(ref))
    return known !== undefined && steadyMs() - known.at < UNREADABLE_MS
  }

  /** Forgets heads that are no longer in the store. */
  keepOnly(refs: readonly HeadRef[]): void {
    const there = new Set(['writer', ...refs.map(pathOf)])
    for (const known of this.#found.keys()) if (!there.has(known)) this.#found.delete(known)
  }

  /**
   * Returns the value of `read`, or null if it fails because of the bytes of the object. `object`:
   * a head, or the name of another one.
   */
  async skipping<T>(object: HeadRef | 'writer', read: () => Promise<T>): Promise<T | null> {
    const path = object === 'writer' ? object : pathOf(object)
    try {
      const value = await read()
      this.#found.delete(path)
      return value
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      const { code, message } = error
      if (object === 'writer' && code === 'newer') throw error
      const known = this.#found.get(path)
      if (known?.message !== message) {
        this.#say(`The object \`${path}.json\` of the store is skipped: ${message}.`)
      }
      this.#found.set(path, { code, message, reads: (known?.reads ?? 0) + 1, at: steadyMs() })
      return null
    }
  }
}

const pathOf = ({ kind, name }: HeadRef): string => `${kind}/${name}`

/** Returns all bytes of a short JSON object. @throws EngineFault, ArchiveError */
export async function smallObject(
  bucket: Bucket,
  key: string,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const missing = (): Error => new ArchiveError('missing', `\`${key}\` does not exist`)
  for await (const chunk of bucket.get(key, missing)) {
    // A long object that is not ours is not read to its end.
    if (bytes === 0 && chunk[0] !== BRACE) break
    bytes += chunk.length
    if (bytes > bytesMax) throw new ArchiveError('too_large', `\`${key}\` is too long`)
    chunks.push(chunk)
  }
  if (bytes === 0) throw new ArchiveError('damaged', `\`${key}\` is not a JSON object`)
  return Buffer.concat(chunks)
}
