// The network member of tasks: how it travels in their records, which copies remotes have not
// confirmed, and which tasks are imports of a topology change.
//
// In a record it stands beside what the client wants to see again, in one text: one that begins
// with U+0000 is JSON of both.

import {
  either,
  flag,
  isValid,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  open,
  text,
  texts,
} from '../../../format/schema/index.ts'
import {
  type ImportSource,
  isConfirmed,
  type RemoteError,
  type RemoteResult,
  type RemoteResults,
  type TaskNetwork,
  type TaskOrigin,
} from '../../model/index.ts'
import { badRecord } from './record-values.ts'

const MARK = '\u0000'

type Packed = { readonly metadata: string | null; readonly network: TaskNetwork | null }

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
const PACKED = object<Packed>({ metadata: nullable(text), network: nullable(NETWORK) })

const ERROR = open(object<RemoteError>({ message: text, code: text, type: text, link: text }))
const RESULT = either(
  object<Extract<RemoteResult, { error: null }>>({ taskUid: number, error: nothing }),
  object<Exclude<RemoteResult, { error: null }>>({ error: ERROR, isFinal: flag }),
)

/** The text of a record. */
export function packMetadata(
  metadata: string | null,
  network: TaskNetwork | null | undefined,
): string | null {
  const isPlain = (network ?? null) === null && metadata?.startsWith(MARK) !== true
  return isPlain ? metadata : MARK + JSON.stringify({ metadata, network: network ?? null })
}

const PLAIN: Packed = { metadata: null, network: null }

/** @throws CorruptionError */
export function unpackMetadata(bytes: Uint8Array | null): Packed {
  if (bytes === null) return PLAIN
  const written = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  if (bytes[0] !== 0) return { metadata: written, network: null }
  const value = parsed(written.slice(1))
  return isValid(PACKED, value) ? value : badRecord('the network of a task', 'other JSON')
}

/** @throws CorruptionError */
export function readResults(written: string): RemoteResults {
  const value = parsed(written)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const isGood = isObject && Object.values(value).every((one) => isValid(RESULT, one))
  return isGood ? (value as RemoteResults) : badRecord('answers of remotes', 'other JSON')
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return badRecord('JSON', 'other text')
  }
}

/** Copies that were taken in from an origin and can be told again. */
const COPIES_MAX = 4096

type Copy = { readonly version: string; readonly uid: number }

/** Documents that another instance has handed over; `hasEnded`: their task has. */
export type ImportedPart = {
  readonly source: ImportSource
  readonly version: string
  readonly hasEnded: boolean
}

/** What the queue knows of tasks in a network. */
export class NetworkTasks {
  /** Per remote, the tasks that it has not confirmed, ascending. */
  readonly #due = new Map<string, Set<number>>()
  /** How many remotes have not confirmed a task. */
  readonly #open = new Map<number, number>()
  /** JSON of what remotes answered, by task. */
  readonly #results = new Map<number, string>()
  /** Imports that have not ended. */
  readonly #imports = new Set<number>()
  /** All imports that are known, those that have ended included. */
  readonly #sources = new Map<number, ImportedPart>()
  /** By origin, by uid of the origin. */
  readonly #copies = new Map<string, Map<number, Copy>>()
  /** Body files of tasks that have ended and are not confirmed. */
  readonly heldBodies = new Map<number, number>()
  /** What topology changes show of themselves. */
  readonly details = new Map<number, { readonly [member: string]: unknown }>()
  /** The topology change whose last batch may run; -1: none. */
  ready = -1

  added(uid: number, network: TaskNetwork): void {
    if (network.kind === 'import') {
      const { source, change } = network
      this.#imports.add(uid)
      this.#sources.set(uid, { source, version: change.networkVersion, hasEnded: false })
    } else if (network.kind === 'origin') this.#addCopy(uid, network.origin)
    else {
      for (const remote of network.remotes) {
        const due = this.#due.get(remote) ?? new Set()
        this.#due.set(remote, due.add(uid))
      }
      if (network.remotes.length > 0) this.#open.set(uid, network.remotes.length)
    }
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

  ended(uid: number): void {
    if (!this.#imports.delete(uid)) return
    const part = this.#sources.get(uid)
    if (part !== undefined) this.#sources.set(uid, { ...part, hasEnded: true })
  }

  /** The imports of one topology change, in the order in which they came. */
  importsOf(version: string): readonly ImportedPart[] {
    return [...this.#sources.values()].filter((part) => part.version === version)
  }

  /** Forgets imports of other changes. */
  keepImportsOf(version: string | null): void {
    for (const [uid, part] of this.#sources) {
      if (part.version !== version && part.hasEnded) this.#sources.delete(uid)
    }
  }

  isImport(uid: number): boolean {
    return this.#imports.has(uid)
  }

  /** -1: no such task. */
  oldestImport(): number {
    return this.#imports.values().next().value ?? -1
  }

  results(uid: number): RemoteResults {
    const written = this.#results.get(uid)
    return written === undefined ? {} : readResults(written)
  }

  resultsText(uid: number): string | null {
    return this.#results.get(uid) ?? null
  }

  /** Whether some remote has not confirmed the task. */
  isOpen(uid: number): boolean {
    return this.#open.has(uid)
  }

  get openCount(): number {
    return this.#open.size
  }

  remotesDue(): readonly string[] {
    return [...this.#due.keys()]
  }

  /** The oldest task that a remote has not confirmed; -1: none. */
  oldestDue(remote: string): number {
    return this.#due.get(remote)?.values().next().value ?? -1
  }

  dueCount(remote: string): number {
    return this.#due.get(remote)?.size ?? 0
  }

  dueOf(remote: string): readonly number[] {
    return [...(this.#due.get(remote) ?? [])]
  }

  /** Takes what remotes answered. `true`: now all of them have confirmed. */
  answered(uid: number, news: RemoteResults): boolean {
    const results = { ...this.results(uid), ...news }
    this.#results.set(uid, JSON.stringify(results))
    let left = 0
    for (const [remote, due] of this.#due) {
      if (!due.has(uid)) continue
      if (!isConfirmed(results[remote])) left++
      else if (due.delete(uid) && due.size === 0) this.#due.delete(remote)
    }
    if (left > 0) {
      this.#open.set(uid, left)
      return false
    }
    return this.#open.delete(uid)
  }

  /** The task is gone. */
  removed(uid: number): void {
    this.#results.delete(uid)
    this.details.delete(uid)
  }
}
