// All task kinds, by number and by name, with their shared operations; and statuses as numbers.
// Records hold these numbers.

import { assert, refuse } from '../../../format/errors.ts'
import type { TaskUid } from '../../../format/ids.ts'
import { type EnqueuedView, TASK_KIND_COUNT_MAX, utf8Of } from '../../../format/tasks/index.ts'
import type { AddRule, KindQueue, QueuedKind } from './task-kind.ts'
import { packMetadata } from './task-network.ts'
import {
  type EncodedContent,
  type Micros,
  type QueuedContent,
  type RecordMembers,
  type StagedBody,
  TASK_STATUSES,
  type TaskDetails,
  type TaskRequest,
  type TaskStatus,
} from './types.ts'

export const STATUS: { readonly [status in TaskStatus]: number } = numbered(TASK_STATUSES)
export const statusOf = (number: number): TaskStatus => TASK_STATUSES[number]!

const EMPTY_MEMBERS: RecordMembers = {
  flags: 0,
  count: 0,
  bodyBytes: 0,
  bodyFile: null,
  primaryKey: null,
  names: [],
  content: null,
  inline: null,
}

export type OwnQueue = { readonly number: number; readonly name: string; readonly queue: KindQueue }

/**
 * The registry of task kinds. `Kind`: the part of a kind that the owner uses; the queue needs less
 * than the processor.
 */
export class TaskKinds<Kind extends QueuedKind = QueuedKind> {
  /** By number. */
  readonly all: readonly Kind[]
  /** By number, which is also their order in error messages. */
  readonly names: readonly string[]
  /** Kinds with a separate queue, in the order in which the queues run. */
  readonly ownQueues: readonly OwnQueue[]
  /** Members of details that only single kinds have, and how batches combine them. */
  readonly ownDetails: ReadonlyMap<string, AddRule>
  readonly #byName: ReadonlyMap<string, Kind>
  readonly #globalMask: number
  readonly #ownQueueMask: number
  readonly #retriedMask: number
  readonly #secretMask: number

  /** `kinds`: in any order; their numbers are consecutive from 0. */
  constructor(kinds: readonly Kind[]) {
    this.all = kinds.toSorted((a, b) => a.number - b.number)
    assert(
      this.all.every(({ number }, i) => number === i),
      'kinds are numbered from 0 without gaps',
    )
    assert(this.all.length <= TASK_KIND_COUNT_MAX, 'a kind fits the mask')
    this.names = this.all.map(({ name }) => name)
    this.#byName = new Map(this.all.map((kind) => [kind.name, kind]))
    assert(this.#byName.size === this.all.length, 'kinds have distinct names')
    this.ownQueues = this.all
      .flatMap(({ number, name, queue }) => (queue.of === 'kind' ? [{ number, name, queue }] : []))
      .sort((a, b) => a.queue.order - b.queue.order)
    this.ownDetails = new Map(this.all.flatMap((kind) => Object.entries(kind.ownDetails ?? {})))
    this.#globalMask = maskOf(this.all.filter(({ isGlobal }) => isGlobal))
    this.#ownQueueMask = maskOf(this.ownQueues)
    this.#secretMask = maskOf(this.all.filter(({ holdsSecret }) => holdsSecret === true))
    this.#retriedMask = maskOf(this.all.filter(({ isRetried }) => isRetried === true))
  }

  get count(): number {
    return this.all.length
  }

  /**
   * Returns the kind with a number from a record. @throws CorruptionError if there is no such kind
   */
  of(number: number): Kind {
    return this.all[number] ?? refuse('task content', 0, 'bad_value', 'a kind of task', number)
  }

  /** Returns the kind with a name, or null. */
  find(name: string): Kind | null {
    return this.#byName.get(name) ?? null
  }

  named(name: string): Kind {
    const kind = this.#byName.get(name)
    assert(kind !== undefined, 'every task has a known kind')
    return kind
  }

  numberOf(name: string): number {
    return this.named(name).number
  }

  isGlobal(number: number): boolean {
    return ((this.#globalMask >>> number) & 1) === 1
  }

  /** Returns whether one of the kinds in a mask is global. */
  hasGlobal(mask: number): boolean {
    return (this.#globalMask & mask) !== 0
  }

  hasOwnQueue(number: number): boolean {
    return ((this.#ownQueueMask >>> number) & 1) === 1
  }

  isRetried(number: number): boolean {
    return ((this.#retriedMask >>> number) & 1) === 1
  }

  holdsSecret(number: number): boolean {
    return ((this.#secretMask >>> number) & 1) === 1
  }

  recordOf(uid: TaskUid, enqueuedAt: Micros, request: TaskRequest): EnqueuedView {
    const kind = this.named(request.content.kind)
    const { primaryKey, names, content, ...members } = {
      ...EMPTY_MEMBERS,
      ...(isEncoded(request.content) ? request.content.encoded : kind.encode(request.content)),
    }
    return {
      kind: kind.number,
      uid,
      enqueuedAt,
      index: optionalUtf8(request.indexUid),
      metadata: optionalUtf8(packMetadata(request.customMetadata, request.network)),
      ...members,
      primaryKey: optionalUtf8(primaryKey),
      names: names.map(utf8Of),
      content: typeof content === 'string' ? utf8Of(content) : content,
    }
  }

  /** Decodes the content of a record. @throws CorruptionError */
  contentOf(view: EnqueuedView): QueuedContent {
    return this.of(view.kind).decode(view)
  }

  /** See `QueuedKind.decodeToRun`. @throws CorruptionError */
  contentToRun(view: EnqueuedView): QueuedContent {
    const kind = this.of(view.kind)
    return kind.decodeToRun === undefined ? kind.decode(view) : kind.decodeToRun(view)
  }

  /** See `QueuedKind.enqueuedDetails`. @throws CorruptionError */
  enqueuedDetails(view: EnqueuedView, names: readonly string[]): TaskDetails | null {
    return this.of(view.kind).enqueuedDetails(view, names)
  }

  /** Returns the body of a task, or null if it has none. */
  bodyOf(content: QueuedContent): StagedBody | null {
    return this.named(content.kind).bodyOf?.(content) ?? null
  }
}

/**
 * Returns the details of a finished task: `enqueued` with its outcome. `result`: members that a
 * success, or some failures, add or replace.
 */
export function finishedDetails(
  kind: QueuedKind,
  status: TaskStatus,
  enqueued: TaskDetails | null,
  result: TaskDetails | null,
): TaskDetails | null {
  if (enqueued === null) return null
  if (status === 'succeeded') return result === null ? enqueued : { ...enqueued, ...result }
  const zeroed = { ...enqueued, ...kind.zeros, ...result }
  return kind.failedDetails === undefined ? zeroed : kind.failedDetails(zeroed)
}

const optionalUtf8 = (text: string | null): Uint8Array | null =>
  text === null ? null : utf8Of(text)

const isEncoded = (content: QueuedContent | EncodedContent): content is EncodedContent =>
  'encoded' in content

const maskOf = (kinds: readonly { readonly number: number }[]): number =>
  kinds.reduce((mask, { number }) => mask | (1 << number), 0)

function numbered<T extends string>(names: readonly T[]): { readonly [name in T]: number } {
  return Object.fromEntries(names.map((name, i) => [name, i])) as { [name in T]: number }
}
