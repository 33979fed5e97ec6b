// The API key of the page: a button in the header, its dialog, and the form, which is also shown
// instead of a view that requires a key.
import { fill, h, ICONS, icon } from './element.ts'
import { hasKey, setKey } from './server.ts'

export class KeyControl {
  readonly button: HTMLButtonElement
  readonly dialog: HTMLDialogElement
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
    this.button = h('button', { class: 'quiet', type: 'button', onclick: () => this.#open() })
    this.dialog = h('dialog', { 'aria-labelledby': 'key-heading' })
    this.#showState()
  }

  /**
   * Returns the form. `error`: why the current key was refused, shown beside the field, or null.
   */
  form(error: string | null): HTMLFormElement {
    const field = h('input', {
      type: 'password',
      name: 'key',
      autocomplete: 'off',
      spellcheck: 'false',
      required: true,
      autofocus: true,
      'aria-invalid': error === null ? null : 'true',
    })
    const isKept = h('input', { type: 'checkbox' })
    return h(
      'form',
      {
        class: 'key-form',
        onsubmit: (event) => {
          event.preventDefault()
          this.#use(field.value, isKept.checked)
        },
      },
      h('label', { class: 'field' }, 'Master key or API key', field),
      error === null ? null : h('p', { class: 'refusal', role: 'alert' }, error),
      h('label', { class: 'check' }, isKept, 'Keep the key until this tab is closed'),
      h('p', { class: 'muted' }, 'Otherwise a reload of the page forgets it.'),
      h(
        'div',
        { class: 'buttons' },
        hasKey()
          ? h(
              'button',
              { class: 'quiet', type: 'button', onclick: () => this.#use('', false) },
              'Remove key',
            )
          : null,
        h('button', { class: 'primary', type: 'submit' }, 'Use this key'),
      ),
    )
  }

  #open(): void {
    fill(
      this.dialog,
      h('h2', { id: 'key-heading' }, 'API key'),
      h(
        'p',
        { class: 'muted' },
        hasKey()
          ? 'A key is in use: it is sent with every request of this page.'
          : 'No key is in use. A key is sent with every request of this page, and to this server only.',
      ),
      this.form(null),
    )
    this.dialog.showModal()
  }

  #use(key: string, isKept: boolean): void {
    setKey(key, isKept)
    this.dialog.close()
    fill(this.dialog)
    this.#showState()
    this.#onChange()
  }

  #showState(): void {
    const text = hasKey() ? 'API key: in use' : 'API key: not set'
    this.button.setAttribute('aria-label', text)
    this.button.title = text
    this.button.classList.toggle('is-on', hasKey())
    fill(this.button, icon(ICONS.key))
  }
}
