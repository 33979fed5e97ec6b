// A dialog with one form that changes something on the server. It shows the refusal or the progress
// of the task beside the form, and closes when the change is done.
import {
  ask,
  type Child,
  fill,
  focusAgain,
  focusName,
  h,
  isAbort,
  ServerError,
} from '../parts/index.ts'
import { TaskProgress } from './task-progress.ts'

export type DialogForm = {
  readonly heading: string
  readonly contents: Child
  readonly submit: string
  /** True if the change cannot be undone. */
  readonly isDangerous?: boolean
  /**
   * Makes the change. Resolves to null to close the dialog, or to a result that the dialog shows
   * instead of the form. @throws ServerError; AbortError when the dialog is closed
   */
  readonly send: (signal: AbortSignal, progress: TaskProgress) => Promise<Child>
}

export class FormDialog {
  readonly element = h('dialog', {
    'aria-labelledby': 'form-heading',
    onclose: () => {
      this.#abort.abort()
      // A new key does not stay in the page.
      fill(this.element)
      // The view was rendered again meanwhile if the browser could not return the focus.
      if (document.activeElement === document.body) focusAgain(document, this.#opener)
    },
  })
  #abort = new AbortController()
  /** The `data-focus` of the button that opened the dialog. */
  #opener: string | null = null

  open(form: DialogForm): void {
    this.#opener = focusName()
    const progress = new TaskProgress()
    const error = h('p', { class: 'refusal', role: 'alert', hidden: true })
    const kind = form.isDangerous === true ? 'primary danger' : 'primary'
    const submit = h('button', { class: kind, type: 'submit' }, form.submit)
    this.#abort = new AbortController()
    const { signal } = this.#abort
    const send = (): void => {
      error.hidden = true
      submit.disabled = true
      form
        .send(signal, progress)
        .then(
          (result) => (result === null ? this.element.close() : this.#showResult(form, result)),
          (cause: unknown) => {
            if (isAbort(cause)) return
            if (!(cause instanceof ServerError)) throw cause
            fill(error, cause.message)
            error.hidden = false
          },
        )
        .finally(() => {
          submit.disabled = false
        })
    }
    fill(
      this.element,
      this.#heading(form),
      h(
        'form',
        {
          onsubmit: (event) => {
            event.preventDefault()
            send()
          },
        },
        form.contents,
        error,
        progress.element,
        h('div', { class: 'buttons' }, this.#closeButton('Cancel', 'quiet'), submit),
      ),
    )
    this.element.showModal()
  }

  #showResult(form: DialogForm, result: Child): void {
    const done = this.#closeButton('Done', 'primary')
    fill(this.element, this.#heading(form), result, h('div', { class: 'buttons' }, done))
    done.focus()
  }

  #heading = ({ heading }: DialogForm): HTMLElement => h('h2', { id: 'form-heading' }, heading)

  #closeButton(label: string, kind: string): HTMLButtonElement {
    return h('button', { class: kind, type: 'button', onclick: () => this.element.close() }, label)
  }
}

/**
 * Sends a request that enqueues a task, and waits for the task. @throws ServerError if the request or
 * the task fails; AbortError
 */
export async function runTask(
  request: readonly [method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown],
  signal: AbortSignal,
  progress: TaskProgress,
): Promise<null> {
  const [method, path, body] = request
  const { taskUid } = await ask<{ readonly taskUid: number }>(method, path, body, signal)
  const task = await progress.follow(taskUid, signal)
  if (task === null || task.status === 'succeeded') return null
  const message = task.error?.message ?? `The task was ${task.status}.`
  throw new ServerError(message, 400, task.error?.code ?? '')
}
