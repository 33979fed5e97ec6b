// The form that sends a request for one operation and shows the answer while it arrives.

import { fill, h, isAbort, requestCode, ServerError, sendRaw } from '../parts/index.ts'
import type { Operation, Parameter } from './api-description.ts'
import { missingOf, sentOf, targetOf, type Written } from './api-request.ts'
import { exampleOf } from './api-schema.ts'

/** Characters of an answer that are shown, because a stream may be endless. */
const SHOWN_CHARACTERS_MAX = 100_000

export class TryForm {
  readonly element: HTMLFormElement
  readonly #operation: Operation
  readonly #fields = new Map<string, HTMLInputElement>()
  readonly #type: HTMLSelectElement
  readonly #body = h('textarea', { class: 'code', rows: 6, spellcheck: 'false' })
  readonly #send = h('button', { class: 'primary', type: 'submit' }, 'Send')
  readonly #answer = h('div', { class: 'try-answer', role: 'status' })
  /** Aborts the running request; null while no request runs. */
  #abort: AbortController | null = null

  constructor(operation: Operation) {
    this.#operation = operation
    const { body, path, method } = operation
    const types = Object.keys(body ?? {})
    this.#type = h(
      'select',
      { 'aria-label': 'Content type', onchange: () => this.#showExample() },
      types.map((type) => h('option', { value: type }, type)),
    )
    this.#body.ariaLabel = `Body of ${method} ${path}`
    this.#showExample()
    this.element = h(
      'form',
      {
        class: 'try',
        onsubmit: (event) => {
          event.preventDefault()
          this.#submit()
        },
      },
      h(
        'div',
        { class: 'try-fields' },
        operation.parameters.map((parameter) => this.#field(parameter)),
      ),
      body === null ? null : [types.length > 1 ? this.#type : null, this.#body],
      method === 'DELETE'
        ? h('p', { class: 'muted' }, 'This request deletes data of this server.')
        : null,
      h('div', { class: 'buttons' }, this.#send),
      this.#answer,
    )
  }

  #field({ name, in: place }: Parameter): HTMLElement {
    const field = h('input', {
      type: 'text',
      spellcheck: 'false',
      autocomplete: 'off',
      placeholder: place === 'path' ? 'required' : '',
    })
    this.#fields.set(name, field)
    return h('label', { class: 'field' }, name, field)
  }

  #showExample(): void {
    const type = this.#type.value
    const content = this.#operation.body?.[type]
    if (content !== undefined) {
      this.#body.value = exampleOf(this.#operation.path, type, content.schema)
    }
  }

  /** Sends the request, or aborts the one that is running. */
  #submit(): void {
    if (this.#abort !== null) {
      this.#abort.abort()
      return
    }
    const operation = this.#operation
    const body = operation.body === null ? null : { type: this.#type.value, text: this.#body.value }
    const values = new Map([...this.#fields].map(([name, { value }]) => [name, value]))
    const written: Written = { operation, values, body }
    const missing = missingOf(written)
    if (missing.length > 0) {
      fill(this.#answer, h('p', { class: 'refusal' }, `Fill in ${missing.join(' and ')}.`))
      this.#fields.get(missing[0] ?? '')?.focus()
      return
    }
    this.#abort = new AbortController()
    fill(this.#send, 'Stop')
    this.#run(written, this.#abort.signal)
      .catch((error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof ServerError)) throw error
        fill(this.#answer, h('p', { class: 'refusal' }, error.message))
      })
      .finally(() => {
        this.#abort = null
        fill(this.#send, 'Send')
      })
  }

  async #run(written: Written, signal: AbortSignal): Promise<void> {
    const begin = performance.now()
    const { method } = written.operation
    const response = await sendRaw(method, targetOf(written), written.body, signal)
    const text = h('pre', { tabindex: '0' })
    const type = response.headers.get('content-type') ?? ''
    const head = h(
      'p',
      {},
      h('span', { class: `pill is-${response.ok ? 'succeeded' : 'failed'}` }, response.status),
      ` ${(performance.now() - begin).toFixed(0)} ms `,
      h('span', { class: 'muted' }, type),
    )
    fill(this.#answer, head, text, requestCode(sentOf(written)))
    await readInto(text, response)
    if (type.includes('json') && text.textContent !== '')
      text.textContent = pretty(text.textContent)
  }
}

/** Appends the body to `element` while it arrives. */
async function readInto(element: HTMLElement, response: Response): Promise<void> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let shown = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    element.append(value.slice(0, SHOWN_CHARACTERS_MAX - shown))
    shown += value.length
    if (shown < SHOWN_CHARACTERS_MAX) continue
    element.append('\n… (the rest is not shown)')
    await reader.cancel()
    return
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch (error) {
    // The text was cut off, so it is not complete JSON.
    if (!(error instanceof SyntaxError)) throw error
    return text
  }
}
