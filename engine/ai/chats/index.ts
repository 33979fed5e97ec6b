// Which chat workspaces are there, and which prompts do they have?

export { CHATS_BYTES_MAX } from './limits.ts'
export { CHAT_PROMPTS, type ChatPrompt } from './prompts.table.ts'
export { ChatStore, type Chats, chatChanges } from './store.ts'
export {
  CHAT_SOURCES,
  CHAT_TEXTS,
  type ChatWorkspace,
  type ChatWorkspacePatch,
  DEFAULT_WORKSPACE,
  decodeWorkspace,
  encodeWorkspace,
  promptsOf,
} from './workspace.ts'
