// The kind of a database folder, read before it is opened where writers hold a lease.
import { type PublisherNote, readPublisher } from '../../backup/objstore/index.ts'
import { CURRENT, InstanceIdentity, LOCK, readDatabase } from '../../store/catalog/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { followingOf } from './record.ts'

export type ExaminedFolder = {
  readonly identity: InstanceIdentity
  readonly note: PublisherNote
  readonly kind: 'new' | 'follower' | 'own'
}

/** A copy of another folder gets an identity of its own. @throws StorageError */
export async function examineFolder(fs: FileSystem): Promise<ExaminedFolder> {
  using _lock = fs.lock(LOCK)
  const identity = await InstanceIdentity.open(fs)
  if (identity.origin === 'copied') await identity.renew()
  return { identity, note: readPublisher(fs), kind: kindOf(fs) }
}

function kindOf(fs: FileSystem): ExaminedFolder['kind'] {
  if (!fs.exists(CURRENT)) return 'new'
  const { state } = readDatabase(fs)
  if (followingOf(state) !== null) return 'follower'
  // A database without a commit holds nothing.
  return state.sequence === 0 ? 'new' : 'own'
}
