// Requests to embedders, and the answers that follow from them, compared with recordings.
import { testConversations } from './test-conversation-list.ts'

testConversations('ai')
