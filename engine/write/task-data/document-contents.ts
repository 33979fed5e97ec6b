// The contents of tasks that change documents. Index threads get them as they are.
import type { StagedBody } from './types.ts'

export type ImportContent = {
  readonly kind: 'documentAdditionOrUpdate'
  readonly method: 'replace' | 'update'
  readonly body: StagedBody
  readonly primaryKey: string | null
  readonly skipCreation: boolean
  readonly allowIndexCreation: boolean
}

/** The form that a running batch gets: JSON, which the index thread parses. */
export type DeletionWork = {
  readonly kind: 'documentDeletion'
  readonly by: 'ids' | 'filter' | 'all'
  readonly json: Uint8Array
  /** Number of ids. */
  readonly count: number
}

export type EditionContent = {
  readonly kind: 'documentEdition'
  /** Selects the documents; null means all. */
  readonly filter: unknown
  readonly context: unknown
  /** The context's JSON text, needed because `context` cannot tell `1.0` from an integer. */
  readonly contextText?: string
  readonly function: string
}
