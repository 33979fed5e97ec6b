// Replays the bytes of a manifest into a state, for opening a database and for reading one. Page:
// format/manifest/MANIFEST.md
import { decoder } from '../../../format/bytes/index.ts'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import type { LogContents, LogRecord } from '../../../format/log/index.ts'
import { decodeEdit, type Edit } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import { type FileSystem, readFile } from '../storage/index.ts'
import { Draft, type Refuse } from './apply.ts'
import { LINE_FILE_BYTES_MAX } from './limits.ts'
import { EDIT_RECORD } from './manifest.ts'
import { CURRENT, manifestNumber } from './names.ts'
import { EMPTY_STATE, type State } from './state.ts'

/** Receives an edit before it is applied, with the record that holds it. */
export type EditVisitor = (edit: Edit, record: LogRecord) => void

/** Returns the number of the active manifest. @throws StorageError */
export function readCurrent(fs: FileSystem): number {
  const text = decoder.decode(readFile(fs, CURRENT, LINE_FILE_BYTES_MAX))
  const number = text.endsWith('\n') ? manifestNumber(text.slice(0, -1)) : null
  if (number !== null) return number
  const words = `\`${CURRENT}\` is damaged: it names no manifest`
  throw new StorageError('corrupt', CURRENT, words)
}

/** Applies the edits of one manifest. Its functions throw CorruptionError and VersionError. */
export class Replay {
  readonly #number: number
  readonly #seen: EditVisitor
  readonly #draft = new Draft(EMPTY_STATE, damaged)
  /** Length up to the end of the first record; 0 before it was read. */
  checkpointBytes = 0

  constructor(number: number, seen: EditVisitor = () => undefined) {
    this.#number = number
    this.#seen = seen
  }

  get state(): State {
    return this.#draft.state
  }

  readonly visit = (record: LogRecord): void => {
    const { type, sequence, payload, offset, bytes } = record
    if (type !== EDIT_RECORD) {
      throw new VersionError('record of a manifest', type, EDIT_RECORD, EDIT_RECORD)
    }
    const edit = decodeEdit(payload)
    this.#seen(edit, record)
    const first = sequence === 0
    if (edit.checkpoint !== first) damaged('a checkpoint comes first', edit.sequence, 0)
    this.#draft.apply(edit)
    if (first) this.checkpointBytes = offset + bytes
  }

  readonly accept = (contents: LogContents): void => {
    if (this.checkpointBytes === 0) damaged('the checkpoint is sound', 0, 0)
    if (contents.header.number !== this.#number) damaged(`this is manifest ${this.#number}`, 0, 0)
  }
}

const damaged: Refuse = (claim, sequence, position) => {
  const at = { section: `edit ${sequence}`, offset: position }
  throw new CorruptionError('bad_value', at, claim, 'the contrary')
}
