// The field for a key. What is entered goes into memory and nowhere else.
import { fill, h, ICONS, icon } from './element.ts'
import { hasKey, setKey } from './server.ts'

export type KeyDialog = {
  readonly button: HTMLButtonElement
  readonly dialog: HTMLDialogElement
  readonly open: () => void
}

export function keyDialog(onChange: () => void): KeyDialog {
  const field = h('input', {
    type: 'password',
    id: 'key',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'none',
  })
  const button = h('button', { class: 'quiet', type: 'button', onclick: () => open() })
  const show = (): void => {
    const text = hasKey() ? 'API key: entered' : 'API key: none'
    button.setAttribute('aria-label', text)
    button.title = text
    button.classList.toggle('is-on', hasKey())
    fill(button, icon(ICONS.key))
  }
  const use = (key: string): void => {
    setKey(key)
    dialog.close()
    show()
    onChange()
  }
  const form = h(
    'form',
    {
      method: 'dialog',
      onsubmit: (event) => {
        event.preventDefault()
        use(field.value)
      },
    },
    h('h2', { id: 'key-heading' }, 'API key'),
    h('label', { for: 'key' }, 'Sent with every request of this page'),
    field,
    h('p', { class: 'muted' }, 'Kept in memory, and gone when the page is closed or reloaded.'),
    h(
      'div',
      { class: 'buttons' },
      h('button', { class: 'quiet', type: 'button', onclick: () => use('') }, 'Forget it'),
      h('button', { class: 'primary', type: 'submit' }, 'Use this key'),
    ),
  )
  const dialog = h('dialog', { 'aria-labelledby': 'key-heading' }, form)
  const open = (): void => {
    field.value = ''
    dialog.showModal()
    field.focus()
  }
  show()
  return { button, dialog, open }
}
