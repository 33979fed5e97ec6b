// Names the heads of a process that writes to a place without a writer lease. The process has a
// term of its own: larger than those of all heads in the store, and than those that its folder has
// used before. It has one only if no other instance publishes there.
import { compareText } from '../../../format/bytes/index.ts'
import { EngineFault } from '../../model/index.ts'
import { steadyMs } from '../../time/index.ts'
import type { PlacedHead } from '../snapshot/index.ts'
import type { Bucket } from './bucket.ts'
import { type FoundHead, heads, type UnreadableHeads } from './heads.ts'
import { type HeadKind, type StorePlace, snapshotName, TERM_MAX, writerKey } from './keys.ts'
import { EXAMINE_MS } from './limits.ts'
import type { PublisherNote } from './publisher-file.ts'
import type { Start } from './writer-lease.ts'
import { readWriter } from './writer-store.ts'

/** The next head: its name, and what it says of itself. */
export type NextHead = { readonly name: string; readonly placed: PlacedHead }

export interface HeadNames {
  /** @throws EngineFault `another_publisher` if this process must not write heads */
  next(bucket: Bucket, kind: HeadKind): Promise<NextHead>
}

/** Identity of a database folder; `origin` says whether it may be that of another one. */
export type WriterIdentity = {
  readonly id: string
  readonly origin: 'own' | 'copied' | 'restored'
}

export type OwnTermOptions = {
  readonly place: StorePlace
  readonly identity: WriterIdentity
  readonly note: PublisherNote
  /** Stores what the folder has done. Durable when it resolves. @throws StorageError */
  readonly remember: (note: PublisherNote) => Promise<void>
  /** An instance whose place this one takes at this start; absent for none. */
  readonly replaces?: string
  /** Distinguishes the names of this process: a random number. */
  readonly mark: number
  readonly unreadable: UnreadableHeads
}

export class OwnTerm implements HeadNames {
  readonly #options: OwnTermOptions
  #term = 0
  #number = 0
  /** The largest name that this process has used, or empty. */
  #last = ''
  #examinedAt = Number.NEGATIVE_INFINITY
  /** The head of another instance that has taken the place since, or null. */
  #later: FoundHead | null = null

  constructor(options: OwnTermOptions) {
    this.#options = options
  }

  async next(bucket: Bucket, kind: HeadKind): Promise<NextHead> {
    // Snapshots are far apart.
    if (kind === 'snapshots' || steadyMs() - this.#examinedAt >= EXAMINE_MS) {
      await this.#examine(bucket)
      this.#examinedAt = steadyMs()
    }
    const { mark, identity } = this.#options
    const position = { term: this.#term, number: ++this.#number }
    this.#last = snapshotName(position, mark)
    return { name: this.#last, placed: { ...position, instance: identity.id } }
  }

  /**
   * Checks that no other instance publishes in the place. The process begins a term, and another
   * one when the place has a head that this process did not write and that is newer than its own.
   */
  async #examine(bucket: Bucket): Promise<void> {
    const { place, note, identity, unreadable, remember } = this.#options
    if (this.#later !== null) throw refusal(this.#later)
    if (identity.origin === 'copied') throw another(COPIED)
    await refuseLease(bucket, place, unreadable)
    const { published, newest } = await newestHeads(bucket, place, unreadable)
    if (this.#term === 0) this.#expectOwn(published)
    else if (published !== null && compareText(published.name, this.#last) > 0) {
      this.#later = published
      throw refusal(published)
    }
    if (this.#term > 0 && (newest === null || compareText(newest.name, this.#last) <= 0)) return
    const term = termAfter(newest, Math.max(note.term, this.#term))
    const isKnown = published?.head.placed?.instance === identity.id
    // The permission has been used once the place has a state of this instance.
    await remember({ ...(isKnown ? {} : note), term })
    this.#term = term
    this.#number = 0
  }

  #expectOwn(published: FoundHead | null): void {
    const { note, identity, replaces } = this.#options
    expectWriter(published, [identity.id, note.replaces, replaces])
  }
}

/**
 * Returns the last term of a place, and its newest published head, for a process that begins to
 * write there under a lease. `may`: the identities that it may continue.
 * @throws EngineFault `another_publisher` if another instance publishes there
 */
export async function placeBefore(
  bucket: Bucket,
  place: StorePlace,
  may: readonly (string | undefined)[],
  unreadable: UnreadableHeads,
): Promise<Start> {
  const { published, newest } = await newestHeads(bucket, place, unreadable)
  expectWriter(published, may)
  return { term: termAfter(newest, 0) - 1, head: published?.name ?? null }
}

async function newestHeads(
  bucket: Bucket,
  place: StorePlace,
  unreadable: UnreadableHeads,
): Promise<{ readonly published: FoundHead | null; readonly newest: FoundHead | null }> {
  const all = await heads.all(bucket, place)
  const ofFollowers = all.filter(({ kind }) => kind === 'published')
  return {
    published: await heads.newest(bucket, place, ofFollowers, unreadable),
    newest: await heads.newest(bucket, place, all, unreadable),
  }
}

/** Heads of releases before terms name no instance: they are continued. */
function expectWriter(published: FoundHead | null, may: readonly (string | undefined)[]): void {
  const writer = published?.head.placed?.instance
  if (published !== null && writer !== undefined && !may.includes(writer)) throw refusal(published)
}

function termAfter(newest: FoundHead | null, used: number): number {
  const term = Math.max(newest?.head.placed?.term ?? 0, used) + 1
  if (term > TERM_MAX) throw another('all terms are used up: choose another prefix')
  return term
}

/** @throws EngineFault if the place has a writer lease, of which this process knows nothing */
async function refuseLease(
  bucket: Bucket,
  place: StorePlace,
  unreadable: UnreadableHeads,
): Promise<void> {
  const record = await readWriter(bucket, place, unreadable)
  if (record === null) return
  throw another(
    `it has a writer lease, of the instance ${record.instance}: start with ` +
      `\`--objstore-writer-lease\`, or remove the object \`${writerKey(place)}\` once no ` +
      'instance uses the lease',
  )
}

const COPIED =
  'its folder was copied or moved, so that another instance may have the same identity; it gets ' +
  'its own once the network has been checked'

function refusal({ head, name }: FoundHead): EngineFault {
  const { placed, writer, createdAt } = head
  const instance = placed?.instance ?? '?'
  return another(
    `the instance ${instance}${writer === undefined ? '' : ` (${writer})`} publishes there; its ` +
      `newest state is ${name} of ${createdAt}. If it will never publish there again, start with ` +
      `\`--objstore-publish-replaces ${instance}\``,
  )
}

const another = (words: string): EngineFault =>
  new EngineFault('another_publisher', `This instance must not write to its place: ${words}.`)
