// Conversations with a model: its answers, and the searches that it runs. Page: ./CHAT.md
export type { Usage } from './chunks.ts'
export { completionOf } from './completion.ts'
export { Conversation, REPORTS } from './conversation.ts'
export {
  type DescribedIndex,
  SEARCH_FUNCTION,
  type SearchArguments,
  type SearchOutcome,
  type SearchTool,
  searchDefinition,
} from './search-tool.ts'
export { ChatSlots } from './slots.ts'
export { eventStream } from './stream.ts'
