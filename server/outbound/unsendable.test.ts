// Keys that no header can carry, as older releases stored them: an ordinary fault of the one remote
// that they belong to, for everything that calls other servers.
import { expect, test } from 'vitest'
import { Remote } from '../../engine/backup/export/index.ts'
import type { ChatWorkspace } from '../../engine/index.ts'
import { asTaskUid, asUuid } from '../../format/ids.ts'
import { type ChatEvent, Conversation } from '../chat/conversation.ts'
import { callRemote, isRetryable } from '../network/calls/remote-call.ts'
import type { CompletionRequest } from '../parse/index.ts'
import { rank } from '../personalize/provider.ts'
import { Delivery } from '../webhooks/index.ts'
import { caller, modelCaller, providerCaller } from './index.ts'

/** Nothing listens there, and nothing is sent. */
const URL = 'http://127.0.0.1:9/'
const KEYS = ['SECRET\n', 'SECRET\r\nX-Evil: 1', 'SECRET\u0000']
const CANNOT = /^.*header `[\w-]+` cannot be sent: its value (?:ends|holds)/i
const { signal } = new AbortController()

test.each(KEYS)('%j of an instance: another one may answer', async (apiKey) => {
  const call = callRemote(
    caller('any'),
    { url: URL },
    {
      method: 'POST',
      path: '/network/search',
      body: null,
      headers: {},
      apiKey,
      times: { connectMs: 100, requestMs: 100 },
      action: 'search',
    },
  )
  const error = await call.catch((e) => e)
  expect(error).toMatchObject({ code: 'remote_could_not_send_request' })
  expect(error.message).toMatch(CANNOT)
  expect(isRetryable(error)).toBe(true)
})

test.each(KEYS)('%j of an export fails its task', async (apiKey) => {
  const remote = new Remote({ send: caller('any'), url: URL, apiKey, signal, now: Date.now })
  const error = await remote.has('/indexes/a').catch((e) => e)
  expect(error).toMatchObject({ name: 'EngineFault' })
  expect(error.message).toMatch(CANNOT)
  expect(error.message).not.toContain('SECRET')
})

test.each(KEYS)('%j of a chat is an event of its stream', async (apiKey) => {
  const prompts = { searchDescription: '', searchQParam: '', searchFilterParam: '' }
  const conversation = new Conversation({
    transport: modelCaller('any'),
    workspace: {
      source: 'openAi',
      baseUrl: URL,
      apiKey,
      orgId: null,
      projectId: null,
      prompts,
    } as unknown as ChatWorkspace,
    prompt: '',
    request: {
      messages: new Uint8Array(0),
      members: '',
      model: 'm',
      functions: [],
    } as unknown as CompletionRequest,
    tool: { definition: '{}', search: () => expect.fail('searched') },
    signal,
    onUsage: () => undefined,
  })
  const events: ChatEvent[] = []
  for await (const event of conversation.events()) events.push(event)
  expect(events).toMatchObject([{ kind: 'fault', isEnd: true, fault: { type: 'transport_error' } }])
  const { message } = (events[0] as Extract<ChatEvent, { kind: 'fault' }>).fault
  expect(message).toMatch(CANNOT)
})

test.each(KEYS)('%j of a ranker refuses the search', async (apiKey) => {
  const options = { url: URL, apiKey, send: providerCaller('any') }
  const ranked = rank(options, { query: 'q', documents: ['{}'], totalMs: 1000, signal })
  await expect(ranked).rejects.toMatchObject({
    code: 'remote_could_not_send_request',
    message: expect.stringMatching(CANNOT),
  })
})

test.each(KEYS)('%j of a webhook is a line of the log', async (key) => {
  const reports: string[] = []
  const delivery = new Delivery({
    send: caller('any', true),
    webhooks: () => [{ uuid: asUuid('one'), url: URL, headers: { 'X-Key': key } }],
    view: () => Promise.resolve({}),
    report: (message) => reports.push(message),
  })
  delivery.announce([asTaskUid(1)])
  await delivery.idle()
  expect(reports).toHaveLength(1)
  expect(reports[0]).toMatch(CANNOT)
})
