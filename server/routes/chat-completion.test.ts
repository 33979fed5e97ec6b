// A completion that fails before its answer: its slot is free again.
import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { ChatSlots } from '../chat/index.ts'
import { type Completion, complete } from './chat-completion.ts'

test.each([true, false])('a failure frees the slot, with streaming %j', async (stream) => {
  const slots = new ChatSlots(1)
  const { signal } = new AbortController()
  const request = { context: { signal }, body: { stream } }
  const completion = { options: { models: null }, slots, request } as unknown as Completion
  const message = 'Models are asked by the server alone.'
  for (let i = 0; i < 2; i++) await expect(complete(completion)).rejects.toThrow(message)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
