// Which task may follow which in a batch: rows are what the batch has become so far, columns what
// comes next.

export type BatchState =
  | 'documents'
  | 'idDeletions'
  | 'filterDeletions'
  | 'clear'
  | 'settings'
  | 'clearAndSettings'
  | 'indexDeletion'
  | 'dsrUpdates'
  | 'dsrClear'

/**
 * What a task is to its batch. `alone`: creations, updates, swaps of indexes and editions of
 * documents, and all kinds with a queue of their own.
 */
export type NextTask =
  | 'import'
  | 'ids'
  | 'filter'
  | 'clear'
  | 'settings'
  | 'indexDeletion'
  | 'alone'
  | 'dsrUpdate'
  | 'dsrClear'

export type StopReason =
  | 'settingsAfterDocuments'
  | 'filterAfterDocuments'
  | 'documentsAfterSettings'
  | 'rulesAfterDocuments'
  | 'rulesAfterSettings'
  | 'unspecified'

/** The state the batch changes to, or why it ends before that task. */
type Step = { readonly to: BatchState } | { readonly stop: StopReason }

const to = (state: BatchState): Step => ({ to: state })
const stop = (reason: StopReason): Step => ({ stop: reason })

type Row = { readonly [next in NextTask]: Step }

const DOCUMENTS: Row = {
  import: to('documents'),
  ids: to('documents'),
  filter: stop('filterAfterDocuments'),
  clear: to('clear'),
  settings: stop('settingsAfterDocuments'),
  indexDeletion: to('indexDeletion'),
  alone: stop('unspecified'),
  dsrUpdate: stop('rulesAfterDocuments'),
  dsrClear: stop('rulesAfterDocuments'),
}

const SETTINGS: Row = {
  import: stop('documentsAfterSettings'),
  ids: stop('documentsAfterSettings'),
  filter: stop('documentsAfterSettings'),
  clear: to('clearAndSettings'),
  settings: to('settings'),
  indexDeletion: to('indexDeletion'),
  alone: stop('unspecified'),
  dsrUpdate: stop('rulesAfterSettings'),
  dsrClear: stop('rulesAfterSettings'),
}

const NOTHING: Row = {
  import: stop('unspecified'),
  ids: stop('unspecified'),
  filter: stop('unspecified'),
  clear: stop('unspecified'),
  settings: stop('unspecified'),
  indexDeletion: stop('unspecified'),
  alone: stop('unspecified'),
  dsrUpdate: stop('unspecified'),
  dsrClear: stop('unspecified'),
}

export const COMPATIBLE: { readonly [state in BatchState]: Row } = {
  documents: DOCUMENTS,
  idDeletions: { ...DOCUMENTS, ids: to('idDeletions'), filter: to('filterDeletions') },
  filterDeletions: { ...DOCUMENTS, ids: to('filterDeletions'), filter: to('filterDeletions') },
  // An import after a clear is refused with the words about settings, as the reference has it.
  clear: {
    ...DOCUMENTS,
    import: stop('settingsAfterDocuments'),
    ids: to('clear'),
    filter: to('clear'),
  },
  settings: SETTINGS,
  clearAndSettings: {
    ...SETTINGS,
    ids: to('clearAndSettings'),
    filter: to('clearAndSettings'),
    settings: to('clearAndSettings'),
  },
  indexDeletion: NOTHING,
  dsrUpdates: { ...NOTHING, dsrUpdate: to('dsrUpdates'), dsrClear: to('dsrClear') },
  dsrClear: { ...NOTHING, dsrClear: to('dsrClear') },
}

/** What a batch is when it begins with such a task; null: the task stays alone. */
export const BEGINS: { readonly [next in NextTask]: BatchState | null } = {
  import: 'documents',
  ids: 'idDeletions',
  filter: 'filterDeletions',
  clear: 'clear',
  settings: 'settings',
  indexDeletion: 'indexDeletion',
  alone: null,
  dsrUpdate: 'dsrUpdates',
  dsrClear: 'dsrClear',
}

/**
 * Whose tasks do something in such a batch; the others are absorbed: a later task undoes all they
 * could do. A batch that is not named here absorbs nothing.
 */
export const RUNNING: { readonly [state in BatchState]?: readonly NextTask[] } = {
  clear: ['clear'],
  clearAndSettings: ['clear', 'settings'],
  indexDeletion: ['indexDeletion'],
  dsrClear: ['dsrClear'],
}

/** What a batch asks of those who run it, where it is not called as its state. */
export const WORK: { readonly [state in BatchState]?: string } = {
  idDeletions: 'documents',
  filterDeletions: 'documents',
}
