// Runs the conversations of a group as tests. Each must have exactly the number of differences in
// its list, so an improvement fails as well until the list is corrected.
import { expect, test } from 'vitest'
import { DIFFERENCES, LATER } from './conversations.table.ts'
import {
  type Conversation,
  type Deviation,
  type Group,
  play,
  readConversations,
} from './test-conversations.ts'

const DEVIATIONS_SHOWN = 5

export function testConversations(group: Group): void {
  const conversations = readConversations(group)
  const later = new Set(Object.values(LATER).flat())
  for (const conversation of conversations) {
    const { name } = conversation
    if (later.has(name)) continue
    test(name, async () => {
      const deviations = await play(conversation)
      const { steps, because } = DIFFERENCES[name] ?? { steps: 0, because: 'none is known' }
      if (deviations.length === steps) return
      expect.fail(
        `${deviations.length} steps go otherwise than recorded, the list says ${steps}: ` +
          because +
          textOf(conversation, deviations),
      )
    })
  }
}

function textOf({ steps }: Conversation, deviations: readonly Deviation[]): string {
  const shown = deviations.slice(0, DEVIATIONS_SHOWN).map(({ step, differences }) => {
    const { name, method, path, body } = steps[step]!
    const sent = body === undefined ? '' : ` ${JSON.stringify(body).slice(0, 200)}`
    return `\n#${step} ${name ?? `${method} ${path}${sent}`}\n    ${differences.join('\n    ')}`
  })
  return shown.join('')
}
