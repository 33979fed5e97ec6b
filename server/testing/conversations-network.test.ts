// Several servers that form a network, compared with recordings.
import { testConversations } from './test-conversation-list.ts'

testConversations('network')
