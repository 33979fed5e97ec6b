// The network member of tasks: how it travels in their records, which copies remotes have not
// confirmed, and which tasks are imports of a topology change.
//
// In a record it stands beside what the client wants to see again, in one text: one that begins
// with U+0000 is JSON of both, and of what the times of an imported task have of a microsecond.

import {
  either,
  isValid,
  nullable,
  number,
  object,
  objectWith,
  oneOf,
  text,
  texts,
} from '../../../format/schema/index.ts'
import type { ImportSource, TaskNetwork, TaskOrigin } from '../../model/index.ts'
import { badRecord } from './record-values.ts'
import { parsedRecord } from './remote-results.ts'
import type { Nanos } from './types.ts'
import { UnconfirmedTasks } from './unconfirmed.ts'

const MARK = '\u0000'

type Packed = {
  readonly metadata: string | null
  readonly network: TaskNetwork | null
  readonly nanos?: Nanos
}

const ORIGIN = object<TaskOrigin>({ remoteName: text, taskUid: number, networkVersion: text })
const SOURCE = object<ImportSource>({
  remoteName: text,
  indexName: nullable(text),
  documentCount: number,
  indexCount: number,
  totalDocuments: number,
  key: nullable(text),
})
type Of<K extends TaskNetwork['kind']> = Extract<TaskNetwork, { kind: K }>
const NETWORK = either(
  object<Of<'leader'>>({ kind: oneOf(['leader']), version: text, remotes: texts }),
  object<Of<'origin'>>({ kind: oneOf(['origin']), origin: ORIGIN }),
  object<Of<'import'>>({ kind: oneOf(['import']), source: SOURCE, change: ORIGIN }),
)
const NANOS = object<Nanos>({ enqueuedAt: number, startedAt: number, finishedAt: number })
const PACKED = objectWith<Packed>(
  { metadata: nullable(text), network: nullable(NETWORK) },
  { nanos: NANOS },
)

/** The text of a record. */
export function packMetadata(
  metadata: string | null,
  network: TaskNetwork | null | undefined,
  nanos?: Nanos | undefined,
): string | null {
  const isAlone = (network ?? null) === null && nanos === undefined
  if (isAlone && metadata?.startsWith(MARK) !== true) return metadata
  return MARK + JSON.stringify({ metadata, network: network ?? null, nanos })
}

const PLAIN: Packed = { metadata: null, network: null }

/** @throws CorruptionError */
export function unpackMetadata(bytes: Uint8Array | null): Packed {
  if (bytes === null) return PLAIN
  const written = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  if (bytes[0] !== 0) return { metadata: written, network: null }
  const value = parsedRecord(written.slice(1))
  return isValid(PACKED, value) ? value : badRecord('the network of a task', 'other JSON')
}

/** Copies that were taken in from an origin and can be told again. */
const COPIES_MAX = 65_536
/** Tasks that their origin has canceled, and that may still be on their way. */
const REFUSED_MAX = 4096
/** Imports that are canceled in one batch. */
const ORPHANS_AT_ONCE = 4096
const NO_TASKS: readonly number[] = []

type Copy = { readonly version: string; readonly uid: number }

/** Documents that another instance has handed over; `hasEnded`: their task has. */
export type ImportedPart = {
  readonly source: ImportSource
  readonly version: string
  readonly hasEnded: boolean
  /** It failed, or was canceled. */
  readonly hasFailed: boolean
}

/** A topology change as its imports name it: the version of the network that it makes. */
type RunningChange = { readonly uid: number; readonly version: string }

/** What the queue knows of tasks in a network. */
export class NetworkTasks {
  /** What remotes have not confirmed; on the leader alone. */
  readonly unconfirmed = new UnconfirmedTasks()
  /** Imports that have not ended, by the version that their change makes. */
  readonly #imports = new Map<string, Set<number>>()
  /** The topology change that has not ended; null: no change runs. */
  #change: RunningChange | null = null
  /** All imports that are known, those that have ended included. */
  readonly #sources = new Map<number, ImportedPart>()
  /** By origin, by uid of the origin. */
  readonly #copies = new Map<string, Map<number, Copy>>()
  readonly #refused = new Set<string>()
  /** Copies that do not run for the moment: their origin may be canceling them. */
  readonly held = new Set<number>()
  /** What topology changes show of themselves. */
  readonly details = new Map<number, { readonly [member: string]: unknown }>()
  /** The topology change whose batch may run; -1: none. */
  ready = -1
  /** The topology change that is not canceled any more; -1: none. */
  committed = -1

  /** `fileBytes`: of its body file; 0: there is no file. */
  added(uid: number, network: TaskNetwork, fileBytes: number): void {
    if (network.kind === 'import') {
      const { source, change } = network
      const version = change.networkVersion
      const others = this.#imports.get(version) ?? new Set()
      this.#imports.set(version, others.add(uid))
      this.#sources.set(uid, { source, version, hasEnded: false, hasFailed: false })
    } else if (network.kind === 'origin') this.#addCopy(uid, network.origin)
    else this.unconfirmed.added(uid, network.remotes, fileBytes)
  }

  #addCopy(uid: number, { remoteName, taskUid, networkVersion }: TaskOrigin): void {
    const copies = this.#copies.get(remoteName) ?? new Map<number, Copy>()
    this.#copies.set(remoteName, copies)
    copies.delete(taskUid)
    copies.set(taskUid, { version: networkVersion, uid })
    if (copies.size > COPIES_MAX) copies.delete(copies.keys().next().value!)
  }

  /** The task that was made of a task of another instance; null: no such task is known. */
  copyOf({ remoteName, taskUid, networkVersion }: TaskOrigin): number | null {
    const copy = this.#copies.get(remoteName)?.get(taskUid)
    return copy?.version === networkVersion ? copy.uid : null
  }

  /** A task that has not come is not taken any more. */
  refuse(origin: TaskOrigin): void {
    this.#refused.add(JSON.stringify(origin))
    if (this.#refused.size > REFUSED_MAX) this.#refused.delete(this.#refused.values().next().value!)
  }

  isRefused(origin: TaskOrigin): boolean {
    const { remoteName, taskUid, networkVersion } = origin
    const known = this.#refused.size > 0
    return known && this.#refused.has(JSON.stringify({ remoteName, taskUid, networkVersion }))
  }

  ended(uid: number, hasSucceeded: boolean): void {
    const part = this.#sources.get(uid)
    const waiting = part === undefined ? undefined : this.#imports.get(part.version)
    if (part === undefined || waiting?.delete(uid) !== true) return
    if (waiting.size === 0) this.#imports.delete(part.version)
    this.#sources.set(uid, { ...part, hasEnded: true, hasFailed: !hasSucceeded })
  }

  /** The imports of one topology change, in the order in which they came. */
  importsOf(version: string): readonly ImportedPart[] {
    return [...this.#sources.values()].filter((part) => part.version === version)
  }

  /** The change whose imports are taken in from now on; imports of others are forgotten. */
  follow(change: RunningChange | null): void {
    this.#change = change
    for (const [uid, part] of this.#sources) {
      if (part.version !== change?.version && part.hasEnded) this.#sources.delete(uid)
    }
  }

  isImport(uid: number): boolean {
    const part = this.#sources.get(uid)
    return part !== undefined && !part.hasEnded
  }

  /** `change`: the oldest topology change that waits. -1: no import of it waits. */
  oldestImport(change: number): number {
    const version = this.#change?.uid === change ? this.#change.version : ''
    return this.#imports.get(version)?.values().next().value ?? -1
  }

  /**
   * Imports that wait for a topology change which has ended; ascending. Among the writes that
   * waited behind the change they would bring back what those have deleted.
   */
  orphans(change: number): readonly number[] {
    if (this.#imports.size === 0) return NO_TASKS
    const version = this.#change?.uid === change ? this.#change.version : ''
    const others = [...this.#imports].flatMap(([one, uids]) => (one === version ? [] : [...uids]))
    return others.sort((a, b) => a - b).slice(0, ORPHANS_AT_ONCE)
  }

  /** The task is gone. */
  removed(uid: number): void {
    this.unconfirmed.removed(uid)
    this.details.delete(uid)
  }
}
