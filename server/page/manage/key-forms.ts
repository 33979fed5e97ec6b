// The forms that create and revoke an API key. A new key is shown once, after it was created.
import { ask, bodySchema, command, field, h, type Site, textField } from '../parts/index.ts'
import type { DialogForm } from './form-dialog.ts'

export type Key = {
  readonly uid: string
  readonly key: string
  readonly name: string | null
  readonly description: string | null
  readonly actions: readonly string[]
  readonly indexes: readonly string[]
  readonly expiresAt: string | null
  readonly createdAt: string
}

/** Returns every action that a key can have, as the description of the API lists them. */
export async function readActions(): Promise<readonly string[]> {
  const { actions } = await bodySchema('post', '/keys')
  return (actions?.items?.enum ?? []).map(String)
}

/** `actions`: all actions that a key can have. `created`: called when the key exists. */
export function keyForm(site: Site, actions: readonly string[], created: () => void): DialogForm {
  const name = textField({ autofocus: true, placeholder: 'for example: web shop' })
  const description = textField()
  const indexes = textField({ value: site.question.index || '*', required: true })
  const expires = h('input', { type: 'datetime-local' })
  const boxes = actions.map((action) =>
    h('input', { type: 'checkbox', value: action, checked: action === 'search' }),
  )
  return {
    heading: 'Create a key',
    contents: [
      field('Name', name),
      field('Description', description),
      field(
        'Indexes: names or beginnings such as film*, with commas between; * means all',
        indexes,
      ),
      h(
        'fieldset',
        { class: 'scopes' },
        h('legend', {}, 'The key permits'),
        h(
          'ul',
          {},
          boxes.map((box) => h('li', {}, h('label', { class: 'check' }, box, textOf(box.value)))),
        ),
      ),
      field('Valid until (empty: without end)', expires),
    ],
    submit: 'Create',
    send: async (signal) => {
      const body = {
        name: name.value.trim() || null,
        description: description.value.trim() || null,
        actions: boxes.filter(({ checked }) => checked).map(({ value }) => value),
        indexes: indexes.value.split(',').map((index) => index.trim()),
        expiresAt: expires.value === '' ? null : new Date(expires.value).toISOString(),
      }
      const { key } = await ask<Key>('POST', '/keys', body, signal)
      created()
      return [
        h('p', {}, 'The key is ready. Copy it now: the page does not show it again.'),
        command(key),
      ]
    },
  }
}

const textOf = (action: string): string => (action === '*' ? '* (everything)' : action)

export function revokeForm({ uid, name }: Key, revoked: () => void): DialogForm {
  return {
    heading: `Revoke ${name ?? 'this key'}`,
    contents: h(
      'p',
      {},
      'The server refuses the key from now on, wherever it is in use, and tenant tokens that were ' +
        'made with it. This cannot be undone.',
    ),
    submit: 'Revoke',
    isDangerous: true,
    send: async (signal) => {
      await ask('DELETE', `/keys/${encodeURIComponent(uid)}`, undefined, signal)
      revoked()
      return null
    },
  }
}
