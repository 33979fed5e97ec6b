// Every route compared with recordings.
import { testConversations } from './test-conversation-list.ts'

testConversations('api')
