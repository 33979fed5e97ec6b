// Reads a database without opening it: takes no lock and writes nothing. The tools use this; a
// server may run at the same time.
import { type LogContents, readLog } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { naming } from '../logs/index.ts'
import { type FileSystem, readFile } from '../storage/index.ts'
import { MANIFEST_FILE_BYTES_MAX } from './limits.ts'
import { manifestName, manifestNumber } from './names.ts'
import { type EditVisitor, Replay, readCurrent } from './replay.ts'
import { detached, type State } from './state.ts'

/** Number of attempts, since a running server may rotate its manifest between two reads. */
const ATTEMPTS = 5

export type DatabaseRead = {
  /** Path of the active manifest. */
  readonly path: string
  /** Its length, the room after its end included. */
  readonly bytes: number
  readonly contents: LogContents
  /**
   * True if it ends with a seal: it was closed cleanly, and its last record is known to be durable.
   */
  readonly isSealed: boolean
  /** Length up to the end of its first record, the checkpoint. */
  readonly checkpointBytes: number
  /** The state after all its edits. */
  readonly state: State
}

/**
 * Reads CURRENT and the manifest it names, of any release; `seen` receives every edit.
 * @throws StorageError with the name of the file: `missing`, `corrupt`, `version`
 */
export function readDatabase(fs: FileSystem, seen?: EditVisitor): DatabaseRead {
  const { number, bytes } = readManifestBytes(fs)
  const path = manifestName(number)
  let last = -1
  const replay = new Replay(number, (edit, record) => {
    last = record.sequence
    seen?.(edit, record)
  })
  const contents = naming(path, () => {
    const found = readLog(bytes, 'MANI', replay.visit)
    replay.accept(found)
    return found
  })
  const { checkpointBytes } = replay
  // Seals count as records but are not visited.
  const isSealed = contents.records > last + 1
  const state = detached(replay.state)
  return { path, bytes: bytes.length, contents, isSealed, checkpointBytes, state }
}

function readManifestBytes(fs: FileSystem): { number: number; bytes: Uint8Array } {
  for (let attempt = 1; ; attempt++) {
    const number = readCurrent(fs)
    try {
      return { number, bytes: readFile(fs, manifestName(number), MANIFEST_FILE_BYTES_MAX) }
    } catch (error) {
      // A server may have rotated and removed this manifest just now.
      const gone = error instanceof StorageError && error.code === 'missing'
      if (!gone || attempt === ATTEMPTS || readCurrent(fs) === number) throw error
    }
  }
}

/**
 * Returns the state after all edits in the bytes of a manifest. @throws StorageError with its path
 */
export function stateOfManifest(path: string, bytes: Uint8Array): State {
  const replay = new Replay(manifestNumber(path) ?? 0)
  naming(path, () => replay.accept(readLog(bytes, 'MANI', replay.visit)))
  return detached(replay.state)
}
