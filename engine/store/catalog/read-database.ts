// Looking at a database without opening it: no lock is taken and nothing is written. What the tools
// read with; a server may run meanwhile.
import type { LogContents } from '../../../format/log/index.ts'
import { readLog } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { type FileSystem, naming, readFile } from '../storage/index.ts'
import { MANIFEST_FILE_BYTES_MAX } from './limits.ts'
import { manifestName, manifestNumber } from './names.ts'
import { type EditVisitor, Replay, readCurrent } from './replay.ts'
import { detached, type State } from './state.ts'

/** How often a server may have begun its manifest anew while we were looking. */
const ATTEMPTS = 5

export type DatabaseRead = {
  /** Path of the manifest in force. */
  readonly path: string
  /** Its length, the room behind its end included. */
  readonly bytes: number
  readonly contents: LogContents
  /** Whether it ends with a seal: it was closed in order, and its last record has a witness. */
  readonly isSealed: boolean
  /** Bytes up to the end of its first record, the checkpoint. */
  readonly checkpointBytes: number
  /** What its edits add up to. */
  readonly state: State
}

/**
 * Reads CURRENT and the manifest it names, whatever release wrote them; `seen` gets every edit.
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
  // Seals count as records and are not visited.
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
      // A server may have begun a new one just now and removed this one.
      const gone = error instanceof StorageError && error.code === 'missing'
      if (!gone || attempt === ATTEMPTS || readCurrent(fs) === number) throw error
    }
  }
}

/** What the edits in the bytes of a manifest add up to. @throws StorageError with its path */
export function stateOfManifest(path: string, bytes: Uint8Array): State {
  const replay = new Replay(manifestNumber(path) ?? 0)
  naming(path, () => replay.accept(readLog(bytes, 'MANI', replay.visit)))
  return detached(replay.state)
}
