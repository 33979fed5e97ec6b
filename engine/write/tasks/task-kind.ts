// What the queue has to know of a kind of task: its number in records, where its tasks wait and
// which of them run together, how a request becomes a record and back, what is shown of it. One
// module of `engine/task-kinds` says all of it; the queue is given them as `TaskKinds`.
import type { TaskUid } from '../../../format/ids.ts'
import type { EnqueuedView } from '../../../format/tasks/index.ts'
import type { AddRule } from './accumulate.ts'
import type { NextTask } from './autobatch.table.ts'
import type { QueuedContent, RecordMembers, StagedBody, TaskDetails } from './types.ts'

/**
 * Tasks wait in the queues of the indexes that they name; which ones go together is in
 * `autobatch.table.ts`.
 */
type IndexQueue = {
  readonly of: 'index'
  /** What a task is to its batch, from the flags of its record. */
  readonly role: (flags: number) => NextTask
}

/** Tasks wait in a queue of their kind. Those queues come before all indexes. */
export type KindQueue = {
  readonly of: 'kind'
  /** Lower ones come first. */
  readonly order: number
  /**
   * Which tasks make a batch. `newest` also goes before a batch of an index that was just chosen.
   */
  readonly takes: 'newest' | 'oldest' | 'all'
  /** Why the batch holds no more; absent: the words for its `takes`. */
  readonly strategy?: (uid: TaskUid) => string
}

/** How a task that asks for something of the kind lives in the queue. */
/** `Work`: what a run is told, where that is not the content as it is. */
export interface QueuedKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> {
  readonly name: Content['kind']
  /** In records and masks; never given again. */
  readonly number: number
  /** Not tied to one index, and seen by unrestricted callers only. */
  readonly isGlobal: boolean
  /** In a network, only the leader takes such tasks. */
  readonly isForLeader: boolean
  /** One that has failed is tried again when the process starts next, as the same batch. */
  readonly isRetried?: boolean
  /** Its record holds a secret that nothing needs once the task has ended: see `secrets.ts`. */
  readonly holdsSecret?: boolean
  readonly queue: IndexQueue | KindQueue

  /** Members that are not named are empty. */
  encode(content: Content): Partial<RecordMembers>
  /** An inline body is a view of the record's bytes. @throws CorruptionError */
  decode(view: EnqueuedView): Content
  /**
   * The same for the run of the task, which another thread may read where it is large. Absent: as
   * `decode`. @throws CorruptionError
   */
  decodeToRun?(view: EnqueuedView): Work

  /**
   * What a task shows before it has run, in the public order of members; null: the kind has no
   * details. `names` are the further indexes of the task as they are called now.
   * @throws CorruptionError
   */
  enqueuedDetails(view: EnqueuedView, names: readonly string[]): TaskDetails | null
  /** The same where flags and count of the record tell it; null: the record has to be read. */
  plainDetails?(flags: number, count: number): TaskDetails | null
  /**
   * Members of the details that no other kind has, and how the details of a batch add them up; in a
   * batch they stand behind all others.
   */
  readonly ownDetails?: { readonly [member: string]: AddRule }
  /** Members that a task which did not succeed shows as zero. */
  readonly zeros?: TaskDetails
  /** Last changes to the details of a task that did not succeed. */
  failedDetails?(details: TaskDetails): TaskDetails
  /** What is shown when a deletion of its index makes the task pointless. */
  absorbedDetails?(content: Work): TaskDetails | null
  /** What a success shows in a batch that also holds imports. */
  detailsAmongImports?(content: Work, result: TaskDetails | null): TaskDetails | null

  /** The content with the further indexes as they are called now. */
  renamed?(content: Content, names: readonly string[]): Content
  bodyOf?(content: Content): StagedBody
  withBody?(content: Content, body: StagedBody): Content
  /** Whether the task makes room in a full queue, so that it is taken in all the same. */
  freesSpace?(content: Content): boolean
  /** Only for kinds whose work is in the queue itself: which work that is. */
  readonly queueWork?: 'cancelation' | 'deletion'
}
