// Determines the version of a dump and opens the reader for it.

import type { TaskKinds } from '../../write/task-data/index.ts'
import { corrupted, type Members, membersOf } from './dump-error.ts'
import type { DumpedKind } from './dump-form.ts'
import type { DumpReader } from './dump-reader.ts'
import { METADATA } from './layout.ts'
import { type DumpFiles, smallValue } from './lines.ts'
import { readOlder } from './read-older.ts'
import { readV6 } from './read-v6.ts'

/** Reads the metadata and returns the reader of its version. @throws DumpError, StorageError */
export async function openDump(
  files: DumpFiles,
  kinds: TaskKinds<DumpedKind>,
): Promise<DumpReader> {
  const value = smallValue(files, METADATA)
  if (value === undefined) corrupted(`\`${METADATA}\``, 'it is missing')
  const metadata: Members = membersOf(value, `\`${METADATA}\``)
  const version = metadata['dumpVersion']
  switch (version) {
    case 'V6':
      return readV6(files, metadata, kinds)
    case 'V1':
    case 'V2':
    case 'V3':
    case 'V4':
    case 'V5':
      return readOlder(files, metadata, version, kinds)
    default:
      return corrupted(`\`${METADATA}\``, 'its version is unknown')
  }
}
