// A form for one setting or all settings, as JSON. Errors are shown beside the field: invalid JSON,
// values that the server refuses, and the error of the task.
import {
  ask,
  fill,
  h,
  indexPath,
  isAbort,
  type ReadJson,
  readJson,
  readObject,
  ServerError,
} from '../parts/index.ts'
import { TaskProgress } from './task-progress.ts'

const ROWS_MAX = 24

export type Edited = {
  readonly index: string
  /** Name of the setting, or null for all settings. */
  readonly name: string | null
  readonly value: unknown
  readonly close: () => void
}

export class SettingsEditor {
  readonly element: HTMLFormElement
  readonly #edited: Edited
  readonly #before: string
  readonly #field = h('textarea', { class: 'code', spellcheck: 'false', autocapitalize: 'off' })
  readonly #error = h('p', { class: 'refusal', role: 'alert', hidden: true })
  readonly #progress = new TaskProgress()
  readonly #senders: readonly HTMLButtonElement[]
  readonly #abort = new AbortController()

  constructor(edited: Edited) {
    const { name, value } = edited
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
    this.element = h(
      'form',
      {
        class: 'settings-editor',
        onsubmit: (event) => {
          event.preventDefault()
          const text = this.#field.value
          this.#start(name === null ? readObject(text) : readJson(text))
        },
        onkeydown: ({ key }) => {
          if (key === 'Escape' && this.#field.value === this.#before) this.#cancel()
        },
      },
      this.#field,
      this.#error,
      this.#progress.element,
      h(
        'div',
        { class: 'buttons' },
        reset,
        quiet('Cancel', () => this.#cancel()),
        save,
      ),
    )
  }

  focus(): void {
    // Must precede `focus`, which scrolls to the cursor.
    this.#field.setSelectionRange(0, 0)
    this.#field.focus()
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
