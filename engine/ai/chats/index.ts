// Which chat workspaces are there, and what is each told?
export { ChatStore, type Chats, chatChanges } from './store.ts'
export {
  CHAT_PROMPTS,
  CHAT_SOURCES,
  CHAT_TEXTS,
  type ChatPrompt,
  type ChatSource,
  type ChatText,
  type ChatWorkspace,
  type ChatWorkspacePatch,
  DEFAULT_WORKSPACE,
  decodeWorkspace,
  encodeWorkspace,
  patchedWorkspace,
  promptsOf,
} from './workspace.ts'
