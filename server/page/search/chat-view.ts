// A conversation with a workspace's model: questions, searches, sources and answers, whose Markdown is
// shown. It is kept in memory until the page is closed. Texts never become markup.

import {
  fill,
  type Hit,
  h,
  isAbort,
  isReadOnly,
  type PageView,
  plural,
  ServerError,
  soon,
} from '../parts/index.ts'
import { type ChatEvent, chat, MESSAGE, PROGRESS, SOURCES } from './chat-stream.ts'
import { hitText } from './hit-text.ts'
import { modelOf, rememberModel } from './models.ts'

/** The Markdown of an answer is read again as a whole, so not for each word that arrives. */
const SHOW_MS = 100

export class ChatView implements PageView {
  readonly element: HTMLElement
  readonly #workspaces = h('select', { 'aria-label': 'Workspace' })
  readonly #model = h('input', {
    class: 'facet-finder chat-model',
    'aria-label': 'Model',
    placeholder: 'Model',
    onchange: () => rememberModel(this.#workspaces.value, this.#model.value.trim()),
    spellcheck: 'false',
    autocomplete: 'off',
  })
  readonly #talk = h('ol', { class: 'talk', 'aria-label': 'Conversation', 'aria-live': 'polite' })
  readonly #input = h('textarea', {
    class: 'query chat-input',
    dir: 'auto',
    'aria-label': 'Your question',
    placeholder: 'Ask about your documents',
    rows: 1,
    onkeydown: (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      this.#submit()
    },
  })
  readonly #conversation: HTMLElement
  /** Shown instead of the conversation while there is no workspace. */
  readonly #empty: HTMLElement
  readonly #send = h('button', { class: 'primary', type: 'submit' }, 'Ask')
  #messages: object[] = []
  /** Aborts the answer that is arriving; null at other times. */
  #abort: AbortController | null = null

  /** `make`: opens the form for a new workspace. */
  constructor(make: () => void) {
    const button = (kind: string): HTMLElement =>
      h(
        'button',
        { class: kind, type: 'button', hidden: isReadOnly(), onclick: make },
        'Make a workspace',
      )
    const again = h(
      'button',
      { class: 'quiet small', type: 'button', onclick: () => this.#clear() },
      'New conversation',
    )
    const form = h(
      'form',
      {
        class: 'chat-form',
        onsubmit: (event) => {
          event.preventDefault()
          this.#submit()
        },
      },
      this.#input,
      this.#send,
    )
    this.#workspaces.addEventListener('change', () => {
      this.#clear()
      this.#chooseModel()
    })
    const tools = h(
      'div',
      { class: 'tools' },
      this.#workspaces,
      this.#model,
      h('span', { class: 'tools-end' }, button('quiet small'), again),
    )
    this.#conversation = h('div', { hidden: true }, tools, this.#talk, form)
    this.#empty = h(
      'div',
      { class: 'notice' },
      h('h2', {}, 'No workspace yet'),
      h(
        'p',
        {},
        'A workspace connects this server with a provider of models, such as OpenAI, Mistral, Azure or ' +
          'a server of your own. Its model answers questions about your documents.',
      ),
      button('primary'),
    )
    this.element = h('section', { class: 'column chat' }, this.#empty, this.#conversation)
  }

  /** Shows the names of the workspaces to choose from. */
  offer(workspaces: readonly string[]): void {
    const { value } = this.#workspaces
    this.#empty.hidden = workspaces.length > 0
    this.#conversation.hidden = workspaces.length === 0
    fill(
      this.#workspaces,
      workspaces.map((uid) => h('option', { value: uid, selected: uid === value }, uid)),
    )
    if (this.#workspaces.value !== value) this.#chooseModel()
    this.refresh()
  }

  #chooseModel(): void {
    const workspace = this.#workspaces.value
    if (workspace === '') return
    modelOf(workspace).then((model) => {
      if (workspace === this.#workspaces.value) this.#model.value = model
    })
  }

  refresh(): void {
    if (document.activeElement === document.body) this.#input.focus()
  }

  #clear(): void {
    this.#abort?.abort()
    this.#messages = []
    fill(this.#talk)
    this.#input.focus()
  }

  /** Sends the question, or aborts the answer that is arriving. */
  #submit(): void {
    if (this.#abort !== null) {
      this.#abort.abort()
      return
    }
    const content = this.#input.value.trim()
    if (content === '') return
    this.#input.value = ''
    this.#messages.push({ role: 'user', content })
    this.#talk.append(h('li', { class: 'said is-asked', dir: 'auto' }, content))
    const answer = h('li', { class: 'said' })
    this.#talk.append(answer)
    const abort = new AbortController()
    this.#abort = abort
    fill(this.#send, 'Stop')
    this.#answer(answer, abort.signal)
      .catch((error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof ServerError)) throw error
        answer.append(h('p', { class: 'refusal' }, error.message))
      })
      .finally(() => {
        this.#abort = null
        fill(this.#send, 'Ask')
      })
  }

  async #answer(element: HTMLElement, signal: AbortSignal): Promise<void> {
    const messages = this.#messages
    const question = {
      workspace: this.#workspaces.value,
      model: this.#model.value.trim(),
      messages,
    }
    const writing = h('div', { class: 'answer', dir: 'auto' })
    const { markdown } = await import('./markdown.ts')
    let text = ''
    let shown = ''
    const show = (): void => {
      if (shown === text) return
      shown = text
      fill(writing, markdown(text))
    }
    const showSoon = soon(show, SHOW_MS)
    // Screen readers announce the answer when it is complete.
    element.ariaBusy = 'true'
    try {
      for await (const event of chat(question, signal)) {
        if (event.kind === 'text') {
          text += event.text
          showSoon()
        } else this.#showReport(event, element)
        if (text !== '') element.append(writing)
        element.scrollIntoView({ block: 'end' })
      }
    } finally {
      show()
      element.ariaBusy = null
      // The text received so far belongs to the conversation, even if the answer was aborted.
      if (text !== '') messages.push({ role: 'assistant', content: text })
    }
  }

  #showReport(event: Exclude<ChatEvent, { kind: 'text' }>, element: HTMLElement): void {
    if (event.kind === 'error') {
      element.append(h('p', { class: 'refusal' }, event.message))
    } else if (event.name === MESSAGE) {
      this.#messages.push(event.details)
    } else if (event.name === PROGRESS) {
      element.append(h('p', { class: 'muted' }, searchText(event.details['function_arguments'])))
    } else if (event.name === SOURCES) {
      element.append(sources(event.details['sources'] as readonly Hit[]))
    }
  }
}

/** Returns the query of the model's search as readable text. */
function searchText(json: unknown): string {
  try {
    const { index_uid, q, filter } = JSON.parse(String(json)) as {
      readonly [name: string]: unknown
    }
    const words = q ? ` for “${q}”` : ''
    return `Searches ${index_uid}${words}${filter ? ` where ${filter}` : ''}`
  } catch (error) {
    // The model may write arguments that are not JSON.
    if (!(error instanceof SyntaxError)) throw error
    return 'Searches'
  }
}

function sources(hits: readonly Hit[]): HTMLElement {
  const lines = hits.map((hit) => {
    const { heading, facts } = hitText(hit, null)
    const factsText = facts.map(({ name, text }) => `${name} ${text}`).join(' · ')
    return h(
      'li',
      {},
      h('b', {}, heading?.text ?? ''),
      ' ',
      h('span', { class: 'muted' }, factsText),
    )
  })
  const count = plural(hits.length, 'document')
  return h('details', { class: 'sources' }, h('summary', {}, count), h('ul', {}, lines))
}
