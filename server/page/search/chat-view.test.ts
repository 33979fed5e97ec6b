// The chat while an answer arrives, and the focus, without a browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { act, settled, stubPage, stubServer } from '../test-dom.ts'
import { ChatView } from './chat-view.ts'
import { modelOf } from './models.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

const COMPLETIONS = 'POST /chats/shop/chat/completions'

/** `send` continues the answer to the last question; `end` closes it. */
async function made() {
  let controller: ReadableStreamDefaultController<Uint8Array>
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given
      },
    })
  const asked = stubServer({
    'GET /chats/shop/settings': { source: 'openAi' },
    'GET /chats/other/settings': { source: 'mistral' },
    [COMPLETIONS]: () => new Response(body()),
  })
  // As a browser does it, an aborted request breaks its stream.
  const answered = fetch
  vi.stubGlobal('fetch', (path: string, options: RequestInit) => {
    options.signal?.addEventListener('abort', () => controller.error(options.signal!.reason))
    return answered(path, options)
  })
  const chat = new ChatView(() => undefined)
  const { element } = chat
  document.body.append(element)
  chat.offer(['shop', 'other'])
  await settled()
  const input = element.querySelector('textarea')!
  const model = element.querySelector('input')!
  const select = element.querySelector('select')!
  const talk = element.querySelector('ol')!
  const form = element.querySelector('form')!
  const send = async (content: string): Promise<void> => {
    const event = { choices: [{ delta: { content, tool_calls: null } }] }
    controller.enqueue(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
    await settled()
  }
  const enter = async (text: string, more: object = {}): Promise<Event> => {
    input.value = text
    const event = act(input, 'keydown', { key: 'Enter', ...more })
    await settled()
    return event
  }
  const questions = (): number => asked.filter(([request]) => request === COMPLETIONS).length
  /** The first question loads a module. */
  const ask = async (text: string): Promise<Event> => {
    const before = questions()
    const event = await enter(text)
    await vi.waitFor(() => expect(questions()).toBe(before + 1))
    await settled()
    return event
  }
  const button = (): string => form.querySelector('button')!.textContent
  const end = async (): Promise<void> => {
    controller.close()
    await vi.waitFor(() => expect(button()).toBe('Ask'))
  }
  const messages = (): unknown =>
    (asked.filter(([request]) => request === COMPLETIONS).at(-1)![1] as { messages: unknown })
      .messages
  return {
    chat,
    element,
    input,
    model,
    select,
    talk,
    form,
    send,
    enter,
    ask,
    end,
    button,
    messages,
    questions,
  }
}

it('the conversation is hidden until workspaces are known', () => {
  const { element } = new ChatView(() => undefined)
  expect([...element.children].map((one) => one.hasAttribute('hidden'))).toEqual([false, true])
})

it('takes the focus if nothing else has it', async () => {
  const { chat, input, model } = await made()
  expect(document.activeElement).toBe(input)
  model.focus()
  chat.refresh()
  expect(document.activeElement).toBe(model)
  model.blur()
  chat.refresh()
  expect(document.activeElement).toBe(input)
})

it('asks by Enter or the button, and empties the field', async () => {
  const { input, form, enter, ask, questions, end, messages } = await made()
  expect((await enter('kana', { isComposing: true })).defaultPrevented).toBe(false)
  expect([input.value, questions()]).toEqual(['kana', 0])
  expect((await ask('one')).defaultPrevented).toBe(true)
  expect(input.value).toBe('')
  await end()
  input.value = ' two '
  expect(act(form, 'submit').defaultPrevented).toBe(true)
  await settled()
  expect([input.value, questions()]).toEqual(['', 2])
  expect(messages()).toEqual([
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ])
  await end()
})

it('stops an answer, whose text stays in the conversation', async () => {
  const { input, enter, ask, send, end, button, talk, messages, questions } = await made()
  await ask('why?')
  expect([button(), talk.lastElementChild!.ariaBusy]).toEqual(['Stop', 'true'])
  await send('Because')
  await enter('next')
  await vi.waitFor(() => expect(button()).toBe('Ask'))
  expect([input.value, questions(), talk.textContent]).toEqual(['next', 1, 'why?Because'])
  expect(talk.lastElementChild!.ariaBusy).toBeNull()
  await ask('next')
  expect(messages()).toEqual([
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: 'Because' },
    { role: 'user', content: 'next' },
  ])
  await end()
})

it('another workspace, or the button, begins a new conversation and stops the answer', async () => {
  const { element, ask, send, button, select, talk, messages, end } = await made()
  const again = [...element.querySelectorAll('button')].find((one) =>
    one.textContent.startsWith('New'),
  )!
  for (const begin of [() => again.click(), () => act(select, 'change')]) {
    await ask('why?')
    await send('Because')
    begin()
    await vi.waitFor(() => expect(button()).toBe('Ask'))
    expect(talk.textContent).toBe('')
    await ask('how?')
    expect(messages()).toEqual([{ role: 'user', content: 'how?' }])
    await end()
    again.click()
  }
})

it('shows the model of the chosen workspace, and remembers an entered one', async () => {
  const { chat, model, select } = await made()
  model.value = ' mine '
  act(model, 'change')
  chat.offer(['first', 'shop', 'other'])
  await settled()
  // The choice and the entered name stay.
  expect([select.value, model.value]).toEqual(['shop', ' mine '])
  select.value = 'other'
  act(select, 'change')
  // The answer for `other` arrives too late.
  select.value = 'shop'
  act(select, 'change')
  await settled()
  expect([model.value, await modelOf('shop')]).toEqual(['mine', 'mine'])
  chat.offer(['other'])
  await settled()
  expect([select.value, model.value]).toEqual(['other', 'mistral-small-latest'])
})
