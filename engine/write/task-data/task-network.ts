// The network member of tasks: its encoding in their records, the tasks that remotes have not
// confirmed, and the imports of topology changes.
//
// A record stores it together with the client's metadata in one text: a text that begins with
// U+0000 is JSON of both, and of the nanoseconds of an imported task.
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import {
  either,
  identifying,
  isValid,
  nullable,
  number,
  object,
  objectWith,
  oneOf,
  text,
  texts,
} from '../../../format/schema/index.ts'
import type { ImportSource, TaskNetwork, TaskOrigin } from '../../network/records/index.ts'
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

const ORIGIN = object<TaskOrigin>({
  remoteName: text,
  taskUid: identifying<TaskUid>(number),
  networkVersion: text,
})
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

/** Encodes the metadata text of a record. */
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

/**
 * Returns the network of a task; the metadata is decoded only if it holds more than the client's.
 */
export const networkIn = (metadata: Uint8Array | null): TaskNetwork | null =>
  metadata?.[0] === 0 ? unpackMetadata(metadata).network : null

/** Number of copies of an origin's tasks that are remembered, to detect repeated requests. */
const COPIES_MAX = 65_536
/** Number of tasks canceled by their origin that are remembered, because they may still arrive. */
const REFUSED_MAX = 4096
/** Imports that one batch cancels. */
const ORPHANS_AT_ONCE = 4096
const NO_TASKS: readonly TaskUid[] = []

type Copy = { readonly version: string; readonly uid: TaskUid }

/** Documents that another instance has handed over. `hasEnded`: whether their task has ended. */
export type ImportedPart = {
  readonly source: ImportSource
  readonly version: string
  readonly hasEnded: boolean
  /** The task failed or was canceled. */
  readonly hasFailed: boolean
}

/** A topology change as its imports name it: by the version of the network that it creates. */
type RunningChange = { readonly uid: TaskUid; readonly version: string }

/** The queue's state of tasks in a network. */
export class NetworkTasks {
  /** Tasks that remotes have not confirmed; only on the leader. */
  readonly unconfirmed = new UnconfirmedTasks()
  /** Imports that have not ended, by the version that their change creates. */
  readonly #imports = new Map<string, Set<TaskUid>>()
  /** The topology change that has not ended, or null if no change runs. */
  #change: RunningChange | null = null
  /** All remembered imports, ended ones included. */
  readonly #sources = new Map<TaskUid, ImportedPart>()
  /** By name of the origin, then by its uid there. */
  readonly #copies = new Map<string, Map<TaskUid, Copy>>()
  /** The newest task that each origin has sent, by its uid there: origins send in order. */
  readonly #newest = new Map<string, TaskUid>()
  /** The uids on their origin of copies that have not ended. */
  readonly #origins = new Map<TaskUid, TaskUid>()
  readonly #refused = new Set<string>()
  /** Copies that must not run for the moment, because their origin may be canceling them. */
  readonly held = new Set<TaskUid>()
  /** Progress details of topology changes. */
  readonly details = new Map<TaskUid, { readonly [member: string]: unknown }>()
  /** The topology change whose batch may run, or -1. */
  ready = -1
  /** The topology change that can no longer be canceled, or -1. */
  committed = -1

  /** `fileBytes`: length of its body file, 0 without one. */
  added(uid: TaskUid, network: TaskNetwork, fileBytes: number): void {
    if (network.kind === 'import') {
      const { source, change } = network
      const version = change.networkVersion
      const others = this.#imports.get(version) ?? new Set()
      this.#imports.set(version, others.add(uid))
      this.#sources.set(uid, { source, version, hasEnded: false, hasFailed: false })
    } else if (network.kind === 'origin') this.#addCopy(uid, network.origin)
    else this.unconfirmed.added(uid, network.remotes, fileBytes)
  }

  #addCopy(uid: TaskUid, { remoteName, taskUid, networkVersion }: TaskOrigin): void {
    const copies = this.#copies.get(remoteName) ?? new Map<TaskUid, Copy>()
    this.#copies.set(remoteName, copies)
    copies.delete(taskUid)
    copies.set(taskUid, { version: networkVersion, uid })
    if (copies.size > COPIES_MAX) copies.delete(copies.keys().next().value!)
    this.#newest.set(remoteName, taskUid)
    this.#origins.set(uid, taskUid)
  }

  /** Returns the newest task that an origin has sent, by its uid there, or -1. */
  newestOf(remoteName: string): TaskUid {
    return this.#newest.get(remoteName) ?? asTaskUid(-1)
  }

  /** Returns the uid on its origin of a copy that has not ended, or null. */
  originOf(uid: TaskUid): TaskUid | null {
    return this.#origins.get(uid) ?? null
  }

  /**
   * Returns the task that was created from a task of another instance, or null if none is
   * remembered.
   */
  copyOf({ remoteName, taskUid, networkVersion }: TaskOrigin): TaskUid | null {
    const copy = this.#copies.get(remoteName)?.get(taskUid)
    return copy?.version === networkVersion ? copy.uid : null
  }

  /** Refuses a task that has not arrived yet. */
  refuse(origin: TaskOrigin): void {
    this.#refused.add(JSON.stringify(origin))
    if (this.#refused.size > REFUSED_MAX) this.#refused.delete(this.#refused.values().next().value!)
  }

  isRefused(origin: TaskOrigin): boolean {
    const { remoteName, taskUid, networkVersion } = origin
    const isAnyRefused = this.#refused.size > 0
    return (
      isAnyRefused && this.#refused.has(JSON.stringify({ remoteName, taskUid, networkVersion }))
    )
  }

  ended(uid: TaskUid, hasSucceeded: boolean): void {
    this.#origins.delete(uid)
    const part = this.#sources.get(uid)
    const waiting = part === undefined ? undefined : this.#imports.get(part.version)
    if (part === undefined || waiting?.delete(uid) !== true) return
    if (waiting.size === 0) this.#imports.delete(part.version)
    this.#sources.set(uid, { ...part, hasEnded: true, hasFailed: !hasSucceeded })
  }

  /** Returns the imports of one topology change, in the order of arrival. */
  importsOf(version: string): readonly ImportedPart[] {
    return [...this.#sources.values()].filter((part) => part.version === version)
  }

  /** Sets the change whose imports are accepted; ended imports of other changes are forgotten. */
  follow(change: RunningChange | null): void {
    this.#change = change
    for (const [uid, part] of this.#sources) {
      if (part.version !== change?.version && part.hasEnded) this.#sources.delete(uid)
    }
  }

  isImport(uid: TaskUid): boolean {
    const part = this.#sources.get(uid)
    return part !== undefined && !part.hasEnded
  }

  /** Returns the oldest import of `change`, the oldest waiting topology change, or -1. */
  oldestImport(change: TaskUid): TaskUid {
    const version = this.#change?.uid === change ? this.#change.version : ''
    return this.#imports.get(version)?.values().next().value ?? asTaskUid(-1)
  }

  /**
   * Returns the imports of a topology change that has ended, ascending. If they ran among the
   * writes that waited behind the change, they would restore documents that those writes delete.
   */
  orphans(change: TaskUid): readonly TaskUid[] {
    if (this.#imports.size === 0) return NO_TASKS
    const version = this.#change?.uid === change ? this.#change.version : ''
    const others = [...this.#imports].flatMap(([one, uids]) => (one === version ? [] : [...uids]))
    return others.sort((a, b) => a - b).slice(0, ORPHANS_AT_ONCE)
  }

  /** Forgets a deleted task. */
  removed(uid: TaskUid): void {
    this.unconfirmed.removed(uid)
    this.details.delete(uid)
  }
}
