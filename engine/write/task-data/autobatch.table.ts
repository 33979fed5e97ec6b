// Which task may follow which in a batch: rows are the state of the batch so far, columns the role
// of the next task.

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
 * The role of a task in a batch. `alone`: creations, updates and swaps of indexes, editions of
 * documents, and all kinds with a separate queue.
 */
export type TaskRole =
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

/** The state that the batch changes to, or the reason why it ends before that task. */
type Step = { readonly to: BatchState } | { readonly stop: StopReason }

const to = (state: BatchState): Step => ({ to: state })
const stop = (reason: StopReason): Step => ({ stop: reason })

type Row = { readonly [next in TaskRole]: Step }

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
  // An import after a clear is refused with the message about settings, as in the reference.
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

/** The state of a batch that begins with a task of this role; null: the task runs alone. */
export const BEGINS: { readonly [next in TaskRole]: BatchState | null } = {
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
 * The roles that have an effect in such a batch; tasks of other roles are absorbed, because a later
 * task undoes everything they could do. A batch that is not listed absorbs nothing.
 */
export const RUNNING: { readonly [state in BatchState]?: readonly TaskRole[] } = {
  clear: ['clear'],
  clearAndSettings: ['clear', 'settings'],
  indexDeletion: ['indexDeletion'],
  dsrClear: ['dsrClear'],
}

/**
 * The works beside which small batches of other indexes may run while they are long: each changes
 * one index, and reads no other one.
 */
export const MAY_HAVE_BESIDE: ReadonlySet<string> = new Set([
  'documents',
  'clear',
  'settings',
  'clearAndSettings',
  'documentEdition',
  'indexCompaction',
])

/** The name of the work for a batch, if it differs from the name of its state. */
export const WORK: { readonly [state in BatchState]?: string } = {
  idDeletions: 'documents',
  filterDeletions: 'documents',
}
