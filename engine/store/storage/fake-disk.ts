// A disk in memory for tests that loses data: when the power fails, writes that were not synced may
// be lost in any combination that a real disk allows. `mount()` returns the file system that a
// process sees; `kill()` ends that process; `crash(seed)` ends it together with the power.
//
// The model
// - A file is a sequence of sectors of 512 bytes and a length. A write is in the cache until a
//   sync. When the power fails, each sector that was written since then holds its content of the
//   last sync or any later version, independently of the others; the length is one of those since
//   then, or a value between them.
// - `writeDurableAsync` syncs only its own sectors, and the length if it grows.
// - Names are in folders. Creating, renaming and removing survive or are lost independently until
//   the folder is synced; a rename happens completely or not at all. Syncing a file does not sync
//   its name.
// - A failed sync leaves the cache clean: a later sync never writes what the failed one did not
//   write, though reads may still show it, or may show the content of the disk. (Linux since 4.13;
//   discussed by the PostgreSQL developers in 2018 under the name "fsyncgate".)
// - Faults on demand: an errno at the n-th matching operation, a limit on space, partial writes.
//   Not modelled: partially written sectors, flipped bits (tests flip them themselves), reordered
//   acknowledgements.
import { assert } from '../../../format/errors.ts'
import type { StorageError } from '../../model/index.ts'
import { type FakeOperation, type Fault, PowerOff, systemError } from './fake-failures.ts'
import { FakeFileSystem } from './fake-file-system.ts'
import type { Inode } from './fake-inode.ts'
import { directoryOf } from './file-system.ts'
import { type Random, randomOf } from './random.ts'

type LiveFault = Fault & { passed: number; failed: number }

/**
 * A change of names that is not synced yet, with the affected folders. `entry` null removes the
 * name.
 */
type NameChange = {
  readonly folders: readonly string[]
  readonly steps: readonly { readonly path: string; readonly entry: Entry | null }[]
}

export type Entry = Inode | 'folder'

export class FakeDisk {
  readonly entries = new Map<string, Entry>([['', 'folder']])
  /** Greatest number of bytes of all files together. */
  capacity = Number.POSITIVE_INFINITY
  /** Asynchronous operations wait for this before they act; tests use it to delay them. */
  gate: () => Promise<void> = () => Promise.resolve()
  /**
   * Number of operations so far that change or sync something: the points at which a power failure
   * makes a difference.
   */
  steps = 0
  readonly #durable = new Map<string, Entry>([['', 'folder']])
  readonly #pending: NameChange[] = []
  readonly #faults: LiveFault[] = []
  readonly #locks = new Set<string>()
  /** Number of shared locks by path. */
  readonly #readers = new Map<string, number>()
  readonly #random: Random
  #process = 0
  #powerOffAt = Number.POSITIVE_INFINITY

  /** `seed` decides what remains of writes whose sync fails. */
  constructor(seed = 1) {
    this.#random = randomOf(seed)
  }

  /** Returns the file system as a newly started process sees it. */
  mount(): FakeFileSystem {
    return new FakeFileSystem(this, this.#process)
  }

  /** Ends the process: its locks and open files are gone, the cache remains. */
  kill(): void {
    this.#process++
    this.#locks.clear()
    this.#readers.clear()
    this.#faults.length = 0
    this.#powerOffAt = Number.POSITIVE_INFINITY
  }

  /** Allows `count` more steps. The next step is the last one, and every later operation fails. */
  powerOffAfter(count: number): void {
    this.#powerOffAt = this.steps + count
  }

  get powerIsOff(): boolean {
    return this.steps > this.#powerOffAt
  }

  /** Injects a failure. */
  fail(fault: Fault): void {
    this.#faults.push({ ...fault, passed: 0, failed: 0 })
  }

  /** Removes all injected failures. */
  heal(): void {
    this.#faults.length = 0
  }

  /** Ends the process and the power; the remaining content depends only on `seed`. */
  crash(seed: number): void {
    this.kill()
    const random = randomOf(seed)
    const keep = keeper(random)
    for (const change of this.#pending) if (keep()) applySteps(this.#durable, change.steps)
    this.#pending.length = 0
    this.entries.clear()
    const seen = new Set<Inode>()
    for (const [path, entry] of [...this.#durable].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const parent = this.entries.get(directoryOf(path))
      if (path !== '' && parent !== 'folder') {
        this.#durable.delete(path)
        continue
      }
      this.entries.set(path, entry)
      if (entry === 'folder' || seen.has(entry)) continue
      seen.add(entry)
      entry.losePower(random, keep)
    }
  }

  /** Bytes of all files that have a name. */
  get usedBytes(): number {
    let bytes = 0
    for (const inode of new Set(this.entries.values())) if (inode !== 'folder') bytes += inode.size
    return bytes
  }

  // The following methods are for FakeFileSystem.

  /**
   * Begins an operation. Throws if the process has ended, the power is off or a fault was injected.
   */
  enter(process: number, on: FakeOperation, path: string): void {
    this.checkPower(process)
    const fault = this.#faultFor(on, path)
    if (fault !== null) throw systemError(fault.errno, path, on)
  }

  checkPower(process: number): void {
    if (process !== this.#process) throw new PowerOff('this process has ended')
    if (this.powerIsOff) throw new PowerOff('the power is off')
  }

  /**
   * Counts a step that changes or syncs something; returns false if the power fails in the middle
   * of it.
   */
  step(): boolean {
    this.steps++
    return !this.powerIsOff
  }

  /**
   * Returns how many of `bytes` more bytes a write may add, and the error with which it then fails.
   */
  admit(process: number, path: string, bytes: number, growth: number): WriteOutcome {
    this.checkPower(process)
    const fault = this.#faultFor('write', path)
    if (fault !== null) {
      const error = systemError(fault.errno, path, 'write')
      return { bytes: Math.min(bytes, fault.part ?? 0), error }
    }
    const free = Math.max(0, this.capacity - this.usedBytes)
    if (growth <= free) return { bytes, error: null }
    return { bytes: bytes - growth + free, error: systemError('ENOSPC', path, 'write') }
  }

  /** Returns the error of a failing sync, after changing the cache accordingly, or null. */
  syncFails(process: number, inode: Inode, path: string): StorageError | null {
    this.checkPower(process)
    const fault = this.#faultFor('sync', path)
    if (fault === null) return null
    inode.failSync(this.#random, fault.ruins ?? false)
    return systemError(fault.errno, path, 'sync')
  }

  changeNames(steps: NameChange['steps']): void {
    applySteps(this.entries, steps)
    const folders = [...new Set(steps.map((step) => directoryOf(step.path)))]
    this.#pending.push({ folders, steps })
  }

  syncNames(folder: string): void {
    for (const change of this.#pending.slice()) {
      if (!change.folders.includes(folder)) continue
      applySteps(this.#durable, change.steps)
      this.#pending.splice(this.#pending.indexOf(change), 1)
    }
  }

  lock(path: string): boolean {
    if (this.#locks.has(path) || this.#readers.has(path)) return false
    this.#locks.add(path)
    return true
  }

  unlock(path: string): void {
    assert(this.#locks.delete(path), 'a lock is released once')
  }

  lockForReading(path: string): boolean {
    if (this.#locks.has(path)) return false
    this.#readers.set(path, (this.#readers.get(path) ?? 0) + 1)
    return true
  }

  unlockForReading(path: string): void {
    const readers = this.#readers.get(path) ?? 0
    assert(readers > 0, 'a lock is released once')
    if (readers === 1) this.#readers.delete(path)
    else this.#readers.set(path, readers - 1)
  }

  #faultFor(on: FakeOperation, path: string): Fault | null {
    for (const fault of this.#faults) {
      if (fault.on !== on || !path.includes(fault.path ?? '')) continue
      if (fault.passed < (fault.after ?? 0)) {
        fault.passed++
        continue
      }
      if (fault.failed === (fault.times ?? 1)) continue
      fault.failed++
      return fault
    }
    return null
  }
}

/** The bytes that a write adds, and its error. */
export type WriteOutcome = { readonly bytes: number; readonly error: StorageError | null }

function applySteps(entries: Map<string, Entry>, steps: NameChange['steps']): void {
  for (const { path, entry } of steps) {
    if (entry === null) entries.delete(path)
    else entries.set(path, entry)
  }
}

/**
 * How much survives differs between crashes: nothing, everything, most, half, or the oldest part.
 */
function keeper(random: Random): () => boolean {
  const mode = random.below(5)
  let oldest = random.below(8)
  if (mode === 0) return () => false
  if (mode === 1) return () => true
  if (mode === 2) return () => random.below(8) !== 0
  if (mode === 3) return () => random.below(2) === 0
  return () => oldest-- > 0
}
