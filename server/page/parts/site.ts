// The part of the page that views may use.
import type { Question } from './query.ts'
import type { TaskPlace } from './task-model.ts'

export type IndexRow = {
  readonly uid: string
  readonly primaryKey: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Number of documents, or null if the key may not see statistics. */
  readonly documents: number | null
  readonly isIndexing: boolean
  readonly bytes: number
  readonly fields: { readonly [field: string]: number }
}

export type Site = {
  readonly question: Question
  readonly tasks: TaskPlace
  readonly indexes: readonly IndexRow[]
  /** Primary key of the current index, or null if it has none yet. */
  readonly primaryKey: string | null
  /** Changes the search, and updates the address and the view. */
  readonly ask: (change: Partial<Question>) => void
  /** Reads the list of indexes and the view again. */
  readonly retry: () => void
  /** Follows an index that has another name now, or was deleted if `to` is empty. */
  readonly moved: (from: string, to: string) => void
  /** Opens the dialog that adds documents. `index`: the suggested index. */
  readonly addDocuments: (index: string) => void
  /** Returns a form for another key. `error`: why the current key was refused. */
  readonly keyForm: (error: string | null) => HTMLElement
}

/** A view; the page shows one at a time. */
export type PageView = {
  readonly element: HTMLElement
  /** Reads the data again. Called when the view is shown and when the indexes have changed. */
  readonly refresh: () => void
  /** Called at every poll while the view is shown. */
  readonly tick?: () => void
}
