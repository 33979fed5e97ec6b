// The file PUBLISHER of a database folder: what it has done in an object store. Snapshots do not
// contain it. JSON, replaced in one step.
import { encoder } from '../../../format/bytes/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import {
  countBetween,
  decodedJson,
  objectWith,
  open,
  type Schema,
  textLike,
} from '../../../format/schema/index.ts'
import { PUBLISHER } from '../../store/catalog/index.ts'
import { type FileSystem, readFile, replaceFile } from '../../store/storage/index.ts'
import { TERM_MAX } from './keys.ts'
import { PUBLISHER_BYTES_MAX } from './limits.ts'

export type PublisherNote = {
  /** The largest term in which the folder has written to a store, or 0. */
  readonly term: number
  /** The instance whose place it may take; absent for none. */
  readonly replaces?: string
}

const SCHEMA: Schema<PublisherNote> = open(
  objectWith<PublisherNote>(
    { term: countBetween(0, TERM_MAX) },
    { replaces: textLike(/^[\w-]{1,100}$/) },
  ),
)

/** The caller holds the lock of the folder. @throws StorageError */
export function readPublisher(fs: FileSystem): PublisherNote {
  if (!fs.exists(PUBLISHER)) return { term: 0 }
  try {
    return decodedJson(SCHEMA, readFile(fs, PUBLISHER, PUBLISHER_BYTES_MAX), PUBLISHER)
  } catch (error) {
    // Without it the term follows from the list of the store, and a promoted follower is refused.
    if (!(error instanceof CorruptionError)) throw error
    return { term: 0 }
  }
}

/** Durable when it resolves. The caller holds the lock of the folder. @throws StorageError */
export const writePublisher = (fs: FileSystem, note: PublisherNote): Promise<void> =>
  replaceFile(fs, PUBLISHER, encoder.encode(`${JSON.stringify(note)}\n`))
