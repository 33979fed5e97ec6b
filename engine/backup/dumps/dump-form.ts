// How dumps hold a kind of task: what a module of `engine/task-kinds` says of it. Layout:
// ./DUMPS.md
import type { QueuedContent, QueuedKind, Task, TaskDetails } from '../../write/tasks/index.ts'
import type { Members } from './dump-error.ts'

export type DumpForm<Content extends QueuedContent = QueuedContent> = {
  /**
   * Tags of `type` that stand for the kind, and what a waiting task asks for by them. The body of
   * an import is still to be found. They throw `DumpError`.
   */
  readonly tags: { readonly [tag: string]: (members: Members, place: string) => Content }
  /** Whether a line without an index is damaged. */
  readonly needsIndex: boolean
  /** `type` of a task whose content is known. */
  type(content: Content, task: Task): unknown
  /** `type` of a finished task, as far as its details tell what it must have asked for. */
  typeOfDetails(details: Members, task: Task): unknown
  /** `details`: a tag and its members; null: the kind shows no details. */
  details(details: Members, content: Content | null): Members | null
  /** Tags of `details` that the kind writes, and what clients are shown of each. */
  readonly detailsTags: {
    readonly [tag: string]: (members: Members, place: string) => TaskDetails | null
  }
  /** Whether tasks of the kind are shown without details. */
  readonly hasNoDetails?: boolean
  /** The further indexes that a task names, whether it waits or has ended. */
  names?(members: Members, place: string): readonly string[]
  /** How many documents the body of a waiting task must hold. */
  documents?(members: Members): number
}

/** A kind of task as dumps know it. */
export interface DumpedKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> extends QueuedKind<Content, Work> {
  readonly dump: DumpForm<Content>
}
