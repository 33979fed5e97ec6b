// A task kind as the queue uses it: its number in records, its waiting and batching rules, its
// record encoding, its details. A module of `engine/task-kinds` defines it; the queue gets all
// kinds as `TaskKinds`.
import type { TaskUid } from '../../../format/ids.ts'
import type { EnqueuedView } from '../../../format/tasks/index.ts'
import type { TaskRole } from './autobatch.table.ts'
import type { QueuedContent, RecordMembers, StagedBody, TaskDetails } from './types.ts'

/** How a member is combined. `only`: shown if exactly one task has it. */
export type AddRule = 'sum' | 'join' | 'first' | 'concat' | 'least' | 'greatest' | 'only'

/**
 * Tasks wait in the queues of the indexes that they name; `autobatch.table.ts` says which roles fit
 * together.
 */
type IndexQueue = {
  readonly of: 'index'
  /** Returns the role of a task in a batch, from the flags of its record. */
  readonly role: (flags: number) => TaskRole
}

/** Tasks wait in a queue of their kind. Those queues precede all index queues. */
export type KindQueue = {
  readonly of: 'kind'
  /** Lower orders run first. */
  readonly order: number
  /**
   * The tasks that form a batch. `newest` also precedes a batch of an index that was just chosen.
   */
  readonly takes: 'newest' | 'oldest' | 'all'
  /** Why the batch ends where it does; absent: the usual text for `takes`. */
  readonly strategy?: (uid: TaskUid) => string
}

/**
 * The behaviour of a task kind in the queue. `Work`: the form of the content that a run gets, if it
 * differs from `Content`.
 */
export interface QueuedKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> {
  readonly name: Content['kind']
  /** Identifies the kind in records and masks; never reused. */
  readonly number: number
  /** Not tied to one index, and visible to unrestricted callers only. */
  readonly isGlobal: boolean
  /** In a network, only the leader accepts such tasks. */
  readonly isForLeader: boolean
  /** A failed task is tried again at the next start of the process, as the same batch. */
  readonly isRetried?: boolean
  /**
   * A failure of the disk or the machine fails the task: it writes outside of the database, or
   * changes no data. A task of any other kind waits until the failure has ended.
   */
  readonly failsWithStorage?: boolean
  /** Its record holds a secret that is not needed once the task has ended: see `secrets.ts`. */
  readonly holdsSecret?: boolean
  readonly queue: IndexQueue | KindQueue

  /** Returns the members of the record; omitted members are empty. */
  encode(content: Content): Partial<RecordMembers>
  /**
   * Decodes the content. An inline body is a view of the record's bytes. @throws CorruptionError
   */
  decode(view: EnqueuedView): Content
  /**
   * Decodes the content for the run of the task, where another thread may parse a large part.
   * Absent: as `decode`. @throws CorruptionError
   */
  decodeToRun?(view: EnqueuedView): Work

  /**
   * Returns the details of a task that has not run, in the public order of members; null if the
   * kind has no details. `names`: present names of the task's further indexes. @throws
   * CorruptionError
   */
  enqueuedDetails(view: EnqueuedView, names: readonly string[]): TaskDetails | null
  /**
   * Returns details that the log holds in the present form, if an earlier release wrote another.
   */
  detailsFromLog?(details: TaskDetails): TaskDetails
  /** Returns the same details from flags and count of the record; null if they do not suffice. */
  plainDetails?(flags: number, count: number): TaskDetails | null
  /**
   * Members of the details that only this kind has, and how the details of a batch combine them; in
   * a batch they follow all others.
   */
  readonly ownDetails?: { readonly [member: string]: AddRule }
  /** Members that are zero if the task did not succeed. */
  readonly zeros?: TaskDetails
  /** Returns the final details of a task that did not succeed. */
  failedDetails?(details: TaskDetails): TaskDetails
  /** Returns the result of a task absorbed by a deletion of its index. */
  absorbedDetails?(content: Work): TaskDetails | null
  /** Returns the result of a success in a batch that also holds imports. */
  detailsAmongImports?(content: Work, result: TaskDetails | null): TaskDetails | null

  /** Returns the content with the present names of the further indexes. */
  renamed?(content: Content, names: readonly string[]): Content
  bodyOf?(content: Content): StagedBody
  withBody?(content: Content, body: StagedBody): Content
  /** Returns whether the task frees space in a full queue, so that it is still accepted. */
  freesSpace?(content: Content): boolean
  /** Only for kinds whose work the queue does itself: which work. */
  readonly queueWork?: 'cancelation' | 'deletion'
}
