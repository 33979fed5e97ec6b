// Search results, their order and their formatting, compared with recordings.
import { testConversations } from './test-conversation-list.ts'

testConversations('semantics')
