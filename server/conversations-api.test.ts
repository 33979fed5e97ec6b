// Every route against what was recorded of it.
import { testConversations } from './test-conversation-list.ts'

testConversations('api')
