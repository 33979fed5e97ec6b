// A form for one setting, with a control for each part of its value, or for one setting or all
// settings as JSON. Errors are shown beside the field: invalid JSON, values that the server refuses,
// and the error of the task.
import {
  ask,
  fill,
  h,
  indexPath,
  isAbort,
  type JsonSchema,
  type ReadJson,
  readJson,
  readObject,
  ServerError,
} from '../parts/index.ts'
import { TaskProgress } from './task-progress.ts'
import { type ValueControl, valueControl } from './value-control.ts'

const ROWS_MAX = 24

export type Edited = {
  readonly index: string
  /** Name of the setting, or null for all settings. */
  readonly name: string | null
  /** The value, or undefined if the setting is not listed because it was never set. */
  readonly value: unknown
  /** The form of the value, or null to edit it as JSON. */
  readonly schema: JsonSchema | null
  readonly close: () => void
}

export class SettingsEditor {
  readonly element: HTMLFormElement
  readonly #edited: Edited
  readonly #before: string
  /** The controls of the value, or null while it is edited as JSON. */
  #control: ValueControl | null = null
  readonly #place = h('div', {})
  readonly #field = h('textarea', { class: 'code', spellcheck: 'false', autocapitalize: 'off' })
  readonly #error = h('p', { class: 'refusal', role: 'alert', hidden: true })
  readonly #progress = new TaskProgress()
  readonly #senders: readonly HTMLButtonElement[]
  readonly #abort = new AbortController()

  constructor(edited: Edited) {
    const { name, value, schema } = edited
    this.#edited = edited
    this.#before = JSON.stringify(value ?? null, null, 2)
    this.#field.value = this.#before
    this.#field.rows = Math.min(ROWS_MAX, this.#before.split('\n').length + 1)
    this.#field.ariaLabel = name === null ? 'All settings as JSON' : `${name} as JSON`
    const save = h('button', { class: 'primary', type: 'submit' }, 'Save')
    const reset = quiet('Reset to default', () => this.#start({ value: null, error: null }))
    // The reset button sends null for one setting; it is not offered for all settings together.
    reset.hidden = name === null
    this.#senders = [save, reset]
    const asJson = quiet('Edit as JSON', () => {
      this.#control = null
      fill(this.#place, this.#field)
      asJson.hidden = true
      this.focus()
    })
    asJson.hidden = schema === null || name === null
    if (schema !== null && name !== null) this.#control = valueControl(schema, value, name)
    fill(this.#place, this.#control?.element ?? this.#field)
    this.element = h(
      'form',
      {
        class: 'settings-editor',
        onsubmit: (event) => {
          event.preventDefault()
          this.#start(this.#read())
        },
        onkeydown: ({ key }) => {
          const isSame = this.#control === null && this.#field.value === this.#before
          if (key === 'Escape' && isSame) this.#cancel()
        },
      },
      this.#place,
      this.#error,
      this.#progress.element,
      h(
        'div',
        { class: 'buttons' },
        reset,
        asJson,
        quiet('Cancel', () => this.#cancel()),
        save,
      ),
    )
  }

  focus(): void {
    if (this.#control !== null) {
      this.#place.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
      return
    }
    // Must precede `focus`, which scrolls to the cursor.
    this.#field.setSelectionRange(0, 0)
    this.#field.focus()
  }

  #read(): ReadJson {
    const text = this.#field.value
    if (this.#control === null)
      return this.#edited.name === null ? readObject(text) : readJson(text)
    try {
      return { value: this.#control.read() ?? null, error: null }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return { error: error.message }
    }
  }

  #start(read: ReadJson): void {
    if (read.error !== null) {
      this.#refuse(read.error)
      return
    }
    const { name } = this.#edited
    this.#send(name === null ? read.value : { [name]: read.value }).catch((error: unknown) => {
      if (isAbort(error)) return
      if (!(error instanceof ServerError)) throw error
      this.#refuse(error.message)
    })
  }

  async #send(body: unknown): Promise<void> {
    const { index, close } = this.#edited
    const { signal } = this.#abort
    this.#error.hidden = true
    this.#field.removeAttribute('aria-invalid')
    this.#progress.clear()
    this.#setBusy(true)
    const path = indexPath(index, '/settings')
    const { taskUid } = await ask<{ readonly taskUid: number }>('PATCH', path, body, signal)
    const task = await this.#progress.follow(taskUid, signal)
    if (task === null || task.status === 'succeeded') close()
    else this.#refuse(task.error?.message ?? `The task was ${task.status}.`)
  }

  #refuse(message: string): void {
    fill(this.#error, message)
    this.#error.hidden = false
    this.#field.setAttribute('aria-invalid', 'true')
    this.#setBusy(false)
  }

  #setBusy(isBusy: boolean): void {
    for (const button of this.#senders) button.disabled = isBusy
    this.#field.readOnly = isBusy
  }

  /** Closes the form. A change that was already sent continues on the server. */
  #cancel(): void {
    this.#abort.abort()
    this.#edited.close()
  }
}

const quiet = (label: string, onclick: () => void): HTMLButtonElement =>
  h('button', { class: 'quiet', type: 'button', onclick }, label)
