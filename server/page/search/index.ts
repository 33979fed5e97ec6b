// The views that search: hits, facets, the inspector, chats.
export { ChatView } from './chat-view.ts'
export { hitTable } from './hit-table.ts'
export { SearchView } from './search-view.ts'
