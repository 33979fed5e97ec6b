// A disk in memory that forgets: what was not synced may be lost when the power fails, in any
// combination a real one allows. For tests. `mount()` gives the file system a process sees;
// `kill()` ends that process; `crash(seed)` ends it and the power with it.
//
// What is modelled
// - A file is a row of sectors of 512 bytes and a length. A write is in the cache until a sync;
//   when the power fails, each sector that was written since then holds what it held at the last
//   sync, or any of its later versions, independently of the others; the length is one of those it
//   had since, or between.
// - `writeDurable` syncs its own sectors only, and the length where it grows.
// - Names live in folders. Making, renaming and removing are kept or lost independently until the
//   folder is synced; a rename happens whole or not at all. Syncing a file does not sync its name.
// - A sync that fails leaves the cache clean: what it failed to write is never written by a later
//   sync, though reading may still show it, or may show what the disk has. (Linux since 4.13;
//   discussed by the PostgreSQL developers in 2018 under the name "fsyncgate".)
// - Faults on demand: an errno at the n-th matching operation, a limit on space, writes cut short.
//   What is not: sectors half written, bits that flip (tests flip them themselves), reordered
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
 * A change of names not yet synced, by the folders it concerns. `entry` null: the name goes away.
 */
type NameChange = {
  readonly folders: readonly string[]
  readonly steps: readonly { readonly path: string; readonly entry: Entry | null }[]
}

export type Entry = Inode | 'folder'

export class FakeDisk {
  readonly entries = new Map<string, Entry>([['', 'folder']])
  /** Bytes all files together may have. */
  capacity = Number.POSITIVE_INFINITY
  /** What asynchronous operations wait for before they act; tests hold them back with it. */
  gate: () => Promise<void> = () => Promise.resolve()
  /** Operations so far that change or sync something: the places where a power failure differs. */
  steps = 0
  readonly #durable = new Map<string, Entry>([['', 'folder']])
  readonly #pending: NameChange[] = []
  readonly #faults: LiveFault[] = []
  readonly #locks = new Set<string>()
  /** Locks for reading, by path: how many. */
  readonly #readers = new Map<string, number>()
  readonly #random: Random
  #process = 0
  #powerOffAt = Number.POSITIVE_INFINITY

  /** `seed` decides what is left of writes whose sync fails. */
  constructor(seed = 1) {
    this.#random = randomOf(seed)
  }

  /** The file system as a newly started process sees it. */
  mount(): FakeFileSystem {
    return new FakeFileSystem(this, this.#process)
  }

  /** Ends the process: its locks and open files are gone, the cache stays. */
  kill(): void {
    this.#process++
    this.#locks.clear()
    this.#readers.clear()
    this.#faults.length = 0
    this.#powerOffAt = Number.POSITIVE_INFINITY
  }

  /**
   * Lets `count` more steps happen; the one after them is the last and every later operation fails.
   */
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

  /** No more injected failures. */
  heal(): void {
    this.#faults.length = 0
  }

  /** Ends the process and the power; what is found afterwards depends on `seed` alone. */
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

  // What follows is for FakeFileSystem.

  /**
   * Fails when the process is gone, the power is off or a fault was injected; else the operation
   * goes on.
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
   * Counts a step that changes or syncs something; false when the power fails in the middle of it.
   */
  step(): boolean {
    this.steps++
    return !this.powerIsOff
  }

  /** How many of `bytes` more bytes a write may add, and what it then fails with. */
  admit(process: number, path: string, bytes: number, growth: number): Admission {
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

  /** Whether a sync fails; if so the cache has been left as the failure leaves it. */
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

export type Admission = { readonly bytes: number; readonly error: StorageError | null }

function applySteps(entries: Map<string, Entry>, steps: NameChange['steps']): void {
  for (const { path, entry } of steps) {
    if (entry === null) entries.delete(path)
    else entries.set(path, entry)
  }
}

/** How much survives differs from crash to crash: nothing, all, most, half, the oldest part. */
function keeper(random: Random): () => boolean {
  const mode = random.below(5)
  let oldest = random.below(8)
  if (mode === 0) return () => false
  if (mode === 1) return () => true
  if (mode === 2) return () => random.below(8) !== 0
  if (mode === 3) return () => random.below(2) === 0
  return () => oldest-- > 0
}
