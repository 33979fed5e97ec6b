// The views that manage: indexes, settings, keys, tasks, uploads, the network.
export { readIndexes, shownIndex } from './index-list.ts'
export { indexesView } from './indexes-view.ts'
export { KeysView } from './keys-view.ts'
export { hasNetwork } from './network-model.ts'
export { networkView, readNetwork } from './network-view.ts'
export { SettingsView } from './settings-view.ts'
export { TasksView } from './tasks-view.ts'
export { UploadDialog } from './upload-dialog.ts'
