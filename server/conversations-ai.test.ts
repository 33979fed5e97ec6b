// What embedders are asked and what comes of it, against what was recorded.
import { testConversations } from './test-conversation-list.ts'

testConversations('ai')
