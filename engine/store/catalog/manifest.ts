// The writer of the manifest: the only way in which the database changes. `openManifest` makes one.
//
// What always holds
// - Commits happen one after the other, each against the state the one before it left.
// - A commit resolves when its edit is durable; the state changes then and not before. A commit
//   that is rejected has changed nothing, on disk either, unless the process ends before the log
//   has recovered (engine/store/storage/append-log.ts): then a restart may find it done, whole.
// - CURRENT names a manifest that holds every acknowledged edit, at every moment.
//
// A manifest that has grown long is begun anew: a new file with a checkpoint, then CURRENT is
// switched to it, then the old one goes. Up to the switch a failure leaves all as it was. A failure
// in the switch leaves it open which of the two a restart would find, so nothing is committed to
// either until the switch is done.

import { assert, InvariantError } from '../../../format/errors.ts'
import type { BatchUid, IndexNo, SegmentNo } from '../../../format/ids.ts'
import { type Change, type Edit, encodeEdit } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  type AppendLog,
  createLog,
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
 * What a commit changes; a function sees the newest state, which may be newer than its caller's.
 */
export type Changes = readonly Change[] | ((state: State) => readonly Change[])

export type ManifestParts = {
  readonly fs: FileSystem
  readonly lock: Lock
  readonly log: AppendLog
  readonly state: State
  /** Bytes of the file when it held the checkpoint alone. */
  readonly checkpointBytes: number
  /** Larger than the number of any manifest and any segment file that exists. */
  readonly nextManifest: number
  readonly nextSegment: SegmentNo
  /** A manifest is not begun anew below this. */
  readonly bytesMin: number
  readonly drawLogSalt: () => number
  /** Whether CLOSED is there. */
  readonly isAsClosed: boolean
}

export class Manifest {
  readonly #fs: FileSystem
  readonly #lock: Lock
  readonly #bytesMin: number
  readonly #drawLogSalt: () => number
  #log: AppendLog
  #state: State
  #nextManifest: number
  #nextSegment: SegmentNo
  #nextIndex: IndexNo
  /** Length at which the manifest is begun anew. */
  #rotateAt: number
  #checkpointBytes: number
  /** The new manifest while it is open whether CURRENT names it. */
  #successor: AppendLog | null = null
  /** What is being done; whatever comes next waits for it. Never rejects. */
  #tail: Promise<void> = Promise.resolve()
  /** A mistake of ours that happened where nobody was waiting. */
  #mistake: unknown = null
  #closed = false
  /** CLOSED is there, and true. */
  #isAsClosed: boolean
  /** What a commit is refused with; null: anybody may commit. */
  #refusal: (() => Error) | null = null

  constructor(parts: ManifestParts) {
    this.#fs = parts.fs
    this.#lock = parts.lock
    this.#bytesMin = parts.bytesMin
    this.#drawLogSalt = parts.drawLogSalt
    this.#log = parts.log
    this.#state = parts.state
    this.#nextManifest = parts.nextManifest
    this.#nextSegment = Math.max(parts.nextSegment, parts.state.nextSegment)
    this.#nextIndex = parts.state.nextIndex
    this.#checkpointBytes = parts.checkpointBytes
    this.#rotateAt = this.#threshold()
    this.#isAsClosed = parts.isAsClosed
  }

  /** What is committed. */
  get state(): State {
    return this.#state
  }

  /** The log of the file in force, to look at. */
  get log(): LogHealth {
    return this.#log
  }

  /** The file in force, and its length. */
  get file(): { readonly path: string; readonly bytes: number } {
    return { path: this.#log.path, bytes: this.#log.bytes }
  }

  /**
   * From now on the logs may be written: CLOSED is no longer true, and goes. Called by whoever
   * writes the task log before it does; commits see to it themselves. @throws StorageError
   */
  async beginWriting(): Promise<void> {
    if (!this.#isAsClosed) return
    await removeClosed(this.#fs)
    this.#isAsClosed = false
  }

  /**
   * The first of `count` numbers for new segments; none is given out again in the life of the
   * process, used or not.
   */
  takeSegment(count = 1): SegmentNo {
    const first = this.#nextSegment
    this.#nextSegment += count
    return first
  }

  /** A number for a new index, likewise. */
  takeIndex(): IndexNo {
    return this.#nextIndex++
  }

  /**
   * Makes these changes, all or none. Resolves with the edit when it is durable; `state` holds it
   * then. Costs one append and one sync. @throws StorageError (as a rejection)
   */
  commit(changes: Changes): Promise<Edit> {
    return this.#refusal === null ? this.#enqueue(changes) : Promise.reject(this.#refusal())
  }

  /** From now on `commit` is refused; only the function that is returned commits. */
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
   * The outcome of this batch is safe in the task log: the next checkpoint leaves it out. Until
   * then an outcome is found in `state.outcomes` again after a restart, however often.
   */
  forget(batch: BatchUid): void {
    this.#after(async () => {
      if (!this.#state.outcomes.has(batch)) return
      const outcomes = new Map(this.#state.outcomes)
      outcomes.delete(batch)
      this.#state = { ...this.#state, outcomes }
    })
  }

  /** Begins the manifest anew now, whatever its length. @throws StorageError (as a rejection) */
  rotate(): Promise<void> {
    return this.#next(() => this.#rotate())
  }

  /**
   * Waits for what is being committed, leaves a short manifest if it can, and gives the lock back.
   * A database that was closed in order and not written to is left as it is.
   * `allIsClosed`: the task log is, so that CLOSED may tell how both end.
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

  /** Gives the lock back and writes nothing: the database is not to be opened after all. */
  letGo(): void {
    this.#closed = true
    this.#log.letGo()
    this.#lock.release()
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    assert(!this.#closed, 'nothing is asked of a closed manifest')
    const done = this.#tail.then(() => {
      if (this.#mistake !== null) throw this.#mistake
      return work()
    })
    // The caller hears of a failure; what comes next does not depend on it.
    this.#tail = done.then(nothing, nothing)
    return done
  }

  /** Does something for which nobody waits. */
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
    await this.#log.append(EDIT_RECORD, encodeEdit(edit))
    this.#state = next
    return edit
  }

  async #rotateIfDue(): Promise<void> {
    if (this.#closed || this.#successor !== null || this.#log.bytes < this.#rotateAt) return
    try {
      await this.#rotate()
    } catch (error) {
      // The disk is full, for example. The old manifest goes on; it is tried again when it has
      // grown more.
      if (!(error instanceof StorageError)) throw error
      this.#rotateAt = this.#log.bytes + this.#bytesMin / 2
    }
  }

  async #rotate(): Promise<void> {
    await this.beginWriting()
    await this.#settle()
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

  /** Finishes the switch of CURRENT, if one was begun. @throws StorageError while it cannot be */
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
    await this.#discard(old)
  }

  /** Closes and removes a manifest that is not in force. */
  async #discard(log: AppendLog): Promise<void> {
    try {
      await log.close()
      await this.#fs.removeAsync(log.path)
    } catch (error) {
      // It is in nobody's way: what CURRENT does not name is removed at the next start.
      if (!(error instanceof StorageError)) throw error
    }
  }

  async #close(allIsClosed: boolean): Promise<void> {
    if (this.#isAsClosed) {
      this.#log.letGo()
      return
    }
    try {
      await this.#settle()
      const grown = this.#log.bytes - this.#checkpointBytes
      if (grown > MANIFEST_BYTES_AT_CLOSE) await this.#rotate()
    } catch (error) {
      // The next start reads the long manifest, or finds one of two that say the same.
      if (!(error instanceof StorageError)) throw error
      await this.#successor?.close()
    }
    const isSettled = this.#successor === null
    await this.#log.close()
    if (allIsClosed && isSettled) await this.#leaveWitness()
  }

  async #leaveWitness(): Promise<void> {
    try {
      await writeClosed(this.#fs, this.#log.path)
    } catch (error) {
      // A full disk, for example: then nothing is compared at the next start.
      if (!(error instanceof StorageError)) throw error
    }
  }

  #threshold(): number {
    return Math.max(this.#bytesMin, this.#checkpointBytes * MANIFEST_GROWTH)
  }
}

/** What CURRENT holds when this manifest is in force. */
export const currentLine = (manifest: string): Uint8Array =>
  new TextEncoder().encode(`${manifest}\n`)

const nothing = (): void => undefined

const ourMistake: Refuse = (claim, sequence, position) => {
  throw new InvariantError(`edit ${sequence}, change ${position}: ${claim}`)
}
