// How dumps hold a kind of task; each module of `engine/task-kinds` defines one. Layout: ./DUMPS.md
import type { QueuedContent, QueuedKind, Task, TaskDetails } from '../../write/task-data/index.ts'
import type { Members } from './dump-error.ts'

export type DumpForm<Content extends QueuedContent = QueuedContent> = {
  /**
   * Tags of `type` that stand for the kind, and the function that reads the content of a waiting
   * task with that tag. The body of an import is added later. The functions throw `DumpError`.
   */
  readonly tags: { readonly [tag: string]: (members: Members, place: string) => Content }
  /** Whether a line without an index is an error. */
  readonly needsIndex: boolean
  /** Returns `type` for a task whose content is known. */
  type(content: Content, task: Task): unknown
  /** Returns `type` for a finished task, as far as its details show the request. */
  typeOfDetails(details: Members, task: Task): unknown
  /** Returns `details`: a tag and its members, or null if the kind shows no details. */
  details(details: Members, content: Content | null): Members | null
  /** Tags of `details` that the kind writes, and the details that clients see for each. */
  readonly detailsTags: {
    readonly [tag: string]: (members: Members, place: string) => TaskDetails | null
  }
  /** Whether tasks of the kind are shown without details. */
  readonly hasNoDetails?: boolean
  /** Returns the further indexes that a task names, waiting or finished. */
  names?(members: Members, place: string): readonly string[]
  /** Returns the number of documents that the body of a waiting task must hold. */
  documents?(members: Members): number
}

/** A kind of task as dumps see it. */
export interface DumpedKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> extends QueuedKind<Content, Work> {
  readonly dump: DumpForm<Content>
}
