// The page around the views, as far as they use it.
import type { Question } from './query.ts'
import type { TaskPlace } from './task-model.ts'

export type IndexRow = {
  readonly uid: string
  readonly primaryKey: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** null: the key may not see statistics. */
  readonly documents: number | null
  readonly isIndexing: boolean
  readonly bytes: number
  readonly fields: { readonly [field: string]: number }
}

export type Site = {
  readonly question: Question
  readonly tasks: TaskPlace
  readonly indexes: readonly IndexRow[]
  /** Of the index that is searched. */
  readonly primaryKey: string | null
  /** Changes what is asked, and with it the address and the view. */
  readonly ask: (change: Partial<Question>) => void
  /** Reads everything anew. */
  readonly retry: () => void
  /** Opens the dialog that adds documents; `index`: which one is suggested. */
  readonly addDocuments: (index: string) => void
  /** A form for another key; `error`: why the key in use was refused. */
  readonly keyForm: (error: string | null) => HTMLElement
}

/** What the page shows one of. */
export type PageView = {
  readonly element: HTMLElement
  /** Reads anew; called when it is shown, and when something has changed. */
  readonly refresh: () => void
  /** Called now and then while it is shown. */
  readonly tick?: () => void
}
