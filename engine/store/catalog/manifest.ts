// The writer of the manifest, the only way to change the database. `openManifest` creates it.
//
// Invariants
// - Commits happen one after another, each against the state that the one before it left.
// - A commit resolves when its edit is durable; the state changes then and not before. A rejected
//   commit has changed nothing, also on disk, unless the process ends before the log has recovered
//   (engine/store/logs/log-file.ts): a restart may then find the whole edit committed.
// - At every moment CURRENT names a manifest that holds every acknowledged edit.
//
// A manifest that has grown long is rotated: a new file with a checkpoint is written, CURRENT is
// switched to it, and the old file is removed. A failure before the switch changes nothing. After a
// failure during the switch it is unknown which of the two files a restart would find, so nothing
// is committed to either until the switch is done.

import { encoder } from '../../../format/bytes/index.ts'
import { assert, InvariantError } from '../../../format/errors.ts'
import {
  asIndexNo,
  asSegmentNo,
  type BatchUid,
  type IndexNo,
  type SegmentNo,
} from '../../../format/ids.ts'
import { type Change, type Edit, encodeEdit } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import { type AppendLog, createLog } from '../logs/index.ts'
import {
  type FileSystem,
  type Lock,
  type LogHealth,
  temporaryName,
  writeAside,
} from '../storage/index.ts'
import { apply, type Refuse } from './apply.ts'
import { checkpointEdit } from './checkpoint.ts'
import { removeClosed, writeClosed } from './closed.ts'
import { MANIFEST_BYTES_AT_CLOSE, MANIFEST_GROWTH } from './limits.ts'
import { CURRENT, manifestName } from './names.ts'
import type { State } from './state.ts'

/** The type of a manifest's records. */
export const EDIT_RECORD = 1

/**
 * The changes of a commit. A function receives the newest state, which may be newer than the one
 * its caller saw.
 */
export type Changes = readonly Change[] | ((state: State) => readonly Change[])

/** The parts of a log that the manifest uses; for readers, an object that refuses appends. */
type ManifestLog = LogHealth &
  Pick<AppendLog, 'path' | 'bytes' | 'append' | 'close' | 'closeWithoutSeal'>

export type ManifestParts = {
  readonly fs: FileSystem
  readonly lock: Lock
  readonly log: ManifestLog
  readonly state: State
  /** Length of the file when it held only the checkpoint. */
  readonly checkpointBytes: number
  /** Larger than the number of every existing manifest and segment file. */
  readonly nextManifest: number
  readonly nextSegment: SegmentNo
  /** The manifest is not rotated below this length. */
  readonly bytesMin: number
  readonly drawLogSalt: () => number
  /** True if CLOSED exists and is true. */
  readonly isAsClosed: boolean
}

export class Manifest {
  readonly #fs: FileSystem
  readonly #lock: Lock
  readonly #bytesMin: number
  readonly #drawLogSalt: () => number
  #log: ManifestLog
  #state: State
  #nextManifest: number
  #nextSegment: SegmentNo
  #nextIndex: IndexNo
  /** Length at which the manifest is rotated. */
  #rotateAt: number
  #checkpointBytes: number
  /** The new manifest while it is unknown whether CURRENT names it. */
  #successor: AppendLog | null = null
  /** The current work; all later work waits for it. Never rejects. */
  #tail: Promise<void> = Promise.resolve()
  /** An InvariantError or another unexpected error of work that no caller waited for. */
  #mistake: unknown = null
  #closed = false
  /** True while CLOSED exists and is true. */
  #isAsClosed: boolean
  /** The removal of CLOSED once it has begun; all callers wait for the same one. */
  #opening: Promise<void> | null = null
  /** Returns the error that commits are rejected with, or null if commits are allowed. */
  #refusal: (() => Error) | null = null

  constructor(parts: ManifestParts) {
    this.#fs = parts.fs
    this.#lock = parts.lock
    this.#bytesMin = parts.bytesMin
    this.#drawLogSalt = parts.drawLogSalt
    this.#log = parts.log
    this.#state = parts.state
    this.#nextManifest = parts.nextManifest
    this.#nextSegment = asSegmentNo(Math.max(parts.nextSegment, parts.state.nextSegment))
    this.#nextIndex = parts.state.nextIndex
    this.#checkpointBytes = parts.checkpointBytes
    this.#rotateAt = this.#threshold()
    this.#isAsClosed = parts.isAsClosed
  }

  /** The committed state. */
  get state(): State {
    return this.#state
  }

  /** Health of the active file's log. */
  get log(): LogHealth {
    return this.#log
  }

  /** True if the database was closed in order and has not been written to since. */
  get isAsClosed(): boolean {
    return this.#isAsClosed
  }

  /** The active file, and its length in bytes. */
  get file(): { readonly path: string; readonly bytes: number } {
    return { path: this.#log.path, bytes: this.#log.bytes }
  }

  /**
   * Syncs the logs and removes CLOSED, because the logs are about to be written. The writer of the
   * task log must wait for this before it appends; commits do so themselves. @throws StorageError
   */
  async beginWriting(): Promise<void> {
    if (!this.#isAsClosed) return
    this.#opening ??= removeClosed(this.#fs, this.#log.path)
    try {
      await this.#opening
      this.#isAsClosed = false
    } finally {
      this.#opening = null
    }
  }

  /**
   * Returns the first of `count` numbers for new segments. The process never returns a number
   * twice, used or not.
   */
  takeSegment(count = 1): SegmentNo {
    const first = this.#nextSegment
    this.#nextSegment = asSegmentNo(first + count)
    return first
  }

  /** Returns a number for a new index. The process never returns a number twice. */
  takeIndex(): IndexNo {
    const index = this.#nextIndex
    this.#nextIndex = asIndexNo(index + 1)
    return index
  }

  /**
   * Commits these changes, all or none. Resolves with the edit when it is durable; `state` then
   * includes it. Costs one append and one sync. @throws StorageError (as a rejection)
   */
  commit(changes: Changes): Promise<Edit> {
    return this.#refusal === null ? this.#enqueue(changes) : Promise.reject(this.#refusal())
  }

  /** Makes `commit` reject from now on; only the returned function can commit. */
  reserve(refusal: () => Error): Manifest['commit'] {
    this.#refusal = refusal
    return (changes) => this.#enqueue(changes)
  }

  #enqueue(changes: Changes): Promise<Edit> {
    const done = this.#next(() => this.#commit(changes))
    this.#after(() => this.#rotateIfDue())
    return done
  }

  /**
   * Drops the outcome of this batch, which is durable in the task log: the next checkpoint omits
   * it. Until then every restart finds the outcome in `state.outcomes`.
   */
  forget(batch: BatchUid): void {
    this.#after(async () => {
      if (!this.#state.outcomes.has(batch)) return
      const outcomes = new Map(this.#state.outcomes)
      outcomes.delete(batch)
      this.#state = { ...this.#state, outcomes }
    })
  }

  /** Rotates the manifest now, at any length. @throws StorageError (as a rejection) */
  rotate(): Promise<void> {
    return this.#next(() => this.#rotate())
  }

  /**
   * Waits for pending commits, rotates the manifest if it is long, and releases the lock. A
   * database that was closed cleanly and not written to does not change. `allIsClosed`: the task
   * log is closed too, so CLOSED may be written.
   */
  async close(allIsClosed = false): Promise<void> {
    const done = this.#next(() => this.#close(allIsClosed))
    this.#closed = true
    try {
      await done
    } finally {
      this.#lock.release()
    }
  }

  /** Releases the lock and writes nothing, because the database will not be opened after all. */
  release(): void {
    this.#closed = true
    this.#log.closeWithoutSeal()
    this.#lock.release()
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    assert(!this.#closed, 'nothing is asked of a closed manifest')
    const done = this.#tail.then(() => {
      if (this.#mistake !== null) throw this.#mistake
      return work()
    })
    // The caller receives a failure; later work does not depend on it.
    this.#tail = done.then(nothing, nothing)
    return done
  }

  /** Does work that no caller waits for. */
  #after(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch((error) => {
      this.#mistake ??= error
    })
  }

  async #commit(changes: Changes): Promise<Edit> {
    await this.beginWriting()
    await this.#settle()
    const list = typeof changes === 'function' ? changes(this.#state) : changes
    const edit = { sequence: this.#state.sequence + 1, checkpoint: false, changes: list }
    const next = apply(this.#state, edit, ourMistake)
    assert(next.sequence === edit.sequence, 'a state has the sequence of its last edit')
    await this.#log.append(EDIT_RECORD, encodeEdit(edit))
    this.#state = next
    return edit
  }

  async #rotateIfDue(): Promise<void> {
    if (this.#closed || this.#successor !== null || this.#log.bytes < this.#rotateAt) return
    try {
      await this.#rotate()
    } catch (error) {
      // For example a full disk. The old manifest continues; the next attempt is made when it has
      // grown more.
      if (!(error instanceof StorageError)) throw error
      this.#rotateAt = this.#log.bytes + this.#bytesMin / 2
    }
  }

  async #rotate(): Promise<void> {
    await this.beginWriting()
    await this.#settle()
    assert(this.#successor === null, 'one successor is written at a time')
    const number = this.#nextManifest++
    const payload = encodeEdit(checkpointEdit(this.#state))
    const header = { kind: 'MANI', number, salt: this.#drawLogSalt() }
    const records = [{ type: EDIT_RECORD, payload }]
    const fresh = await createLog(this.#fs, manifestName(number), header, records)
    try {
      await writeAside(this.#fs, CURRENT, currentLine(fresh.path))
    } catch (error) {
      await this.#discard(fresh)
      throw error
    }
    this.#successor = fresh
    await this.#settle()
  }

  /**
   * Finishes the switch of CURRENT, if one was begun. @throws StorageError if it cannot be finished
   */
  async #settle(): Promise<void> {
    const fresh = this.#successor
    if (fresh === null) return
    const aside = temporaryName(CURRENT)
    if (this.#fs.exists(aside)) await this.#fs.renameAsync(aside, CURRENT)
    await this.#fs.syncDirectoryAsync('')
    const old = this.#log
    this.#log = fresh
    this.#successor = null
    this.#checkpointBytes = fresh.bytes
    this.#rotateAt = this.#threshold()
    assert(old !== fresh, 'the active manifest stays')
    await this.#discard(old)
  }

  /** Closes and removes a manifest that is not active. */
  async #discard(log: ManifestLog): Promise<void> {
    try {
      await log.close()
      await this.#fs.removeAsync(log.path)
    } catch (error) {
      // The file does no harm: the next start removes manifests that CURRENT does not name.
      if (!(error instanceof StorageError)) throw error
    }
  }

  async #close(allIsClosed: boolean): Promise<void> {
    if (this.#isAsClosed) {
      this.#log.closeWithoutSeal()
      return
    }
    try {
      await this.#settle()
      const grown = this.#log.bytes - this.#checkpointBytes
      if (grown > MANIFEST_BYTES_AT_CLOSE) await this.#rotate()
    } catch (error) {
      // The next start reads the long manifest, or one of two manifests with the same state.
      if (!(error instanceof StorageError)) throw error
      await this.#successor?.close()
    }
    const isSettled = this.#successor === null
    await this.#log.close()
    if (allIsClosed && isSettled) await this.#writeMarker()
  }

  async #writeMarker(): Promise<void> {
    try {
      await writeClosed(this.#fs, this.#log.path)
    } catch (error) {
      // For example a full disk. The next start then compares nothing.
      if (!(error instanceof StorageError)) throw error
    }
  }

  #threshold(): number {
    return Math.max(this.#bytesMin, this.#checkpointBytes * MANIFEST_GROWTH)
  }
}

/** Returns the content of CURRENT for this manifest. */
export const currentLine = (manifest: string): Uint8Array => encoder.encode(`${manifest}\n`)

const nothing = (): void => undefined

const ourMistake: Refuse = (claim, sequence, position) => {
  throw new InvariantError(`edit ${sequence}, change ${position}: ${claim}`)
}
