// Checks that the lists of conversations name existing recordings, each once.
import { expect, test } from 'vitest'
import { DIFFERENCES, LATER } from './conversations.table.ts'
import { GROUPS, readConversations } from './test-conversations.ts'

test('lists existing conversations, each once', () => {
  const groups = GROUPS.flatMap(readConversations)
  const recorded = new Set(groups.map(({ name }) => name))
  const listed = [...Object.values(LATER).flat(), ...Object.keys(DIFFERENCES)]
  expect(listed.filter((name) => !recorded.has(name))).toEqual([])
  expect(listed.filter((name, at) => listed.indexOf(name) !== at)).toEqual([])
})
