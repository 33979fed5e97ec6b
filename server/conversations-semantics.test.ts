// What searches find, in which order and how it is shown, against what was recorded.
import { testConversations } from './test-conversation-list.ts'

testConversations('semantics')
