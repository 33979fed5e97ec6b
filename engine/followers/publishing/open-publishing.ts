// Prepares an engine to write into an object store: for snapshots, for followers, or for both.
import {
  type HeadNames,
  OwnTerm,
  readPublisher,
  type StorePlace,
  type StoreTurns,
  type WriterIdentity,
  type WriterLease,
  writePublisher,
} from '../../backup/objstore/index.ts'
import { drawLogSalt, type FileSystem } from '../../store/storage/index.ts'
import { storeTurnsOf } from '../../task-kinds/database/index.ts'
import type { StoreOptions } from '../../task-kinds/kind/index.ts'
import type { BodyFiles } from '../../write/tasks/index.ts'
import { LeasedTerm } from './leased-term.ts'
import type { PublishOptions } from './options.ts'
import { UnpublishedWrites } from './unpublished.ts'

export type Publishing = {
  /** Names the heads of this process, or null if it writes to no store. */
  readonly names: HeadNames | null
  /** Keeps requests until they are published, or null without a lease. */
  readonly unpublished: UnpublishedWrites | null
}

type PublishingOptions = {
  readonly snapshots?: { readonly store?: StoreOptions }
  readonly publish?: PublishOptions
  /** Writes messages for the operator into the log. */
  readonly note?: (message: string) => void
}

type PublishingParts = {
  readonly fs: FileSystem
  readonly identity: WriterIdentity
  readonly bodies: BodyFiles
}

/** The caller holds the lock of the folder. @throws StorageError */
export async function openPublishing(
  { publish, snapshots, note }: PublishingOptions,
  parts: PublishingParts,
): Promise<Publishing> {
  const { fs, bodies } = parts
  const store = publish?.store ?? snapshots?.store ?? null
  if (store === null) return { names: null, unpublished: null }
  const turns = storeTurnsOf(store)
  turns.say = (message) => note?.(message)
  const lease = publish?.lease
  if (lease === undefined) {
    turns.names = ownTerm(parts, publish, store.place, turns)
    return { names: turns.names, unpublished: null }
  }
  turns.names = new LeasedTerm(lease, drawLogSalt())
  if (!lease.isLost) await noteTerm(fs, lease)
  return { names: turns.names, unpublished: new UnpublishedWrites(bodies, lease.nextTask) }
}

const ownTerm = (
  { fs, identity }: PublishingParts,
  publish: PublishOptions | undefined,
  place: StorePlace,
  { unreadable }: StoreTurns,
): OwnTerm =>
  new OwnTerm({
    place,
    identity,
    note: readPublisher(fs),
    remember: (known) => writePublisher(fs, known),
    ...(publish?.replaces === undefined ? {} : { replaces: publish.replaces }),
    mark: drawLogSalt(),
    unreadable,
  })

/** The lease names this instance, so that it needs no permission to replace another one. */
const noteTerm = (fs: FileSystem, { term }: WriterLease): Promise<void> =>
  writePublisher(fs, { term })
