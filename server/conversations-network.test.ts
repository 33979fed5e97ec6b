// Several servers that form a network against what was recorded of one.
import { testConversations } from './test-conversation-list.ts'

testConversations('network')
