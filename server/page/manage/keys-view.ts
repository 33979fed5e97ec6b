// The API keys of the server: their scopes, a form for a new one, and a button that revokes one. The
// list does not show the keys themselves.
import {
  agoText,
  ask,
  type Child,
  errorNote,
  fill,
  h,
  isAbort,
  isReadOnly,
  momentText,
  type PageView,
  plural,
  refill,
  ServerError,
  type Site,
} from '../parts/index.ts'
import { FormDialog } from './form-dialog.ts'
import { type Key, keyForm, readActions, revokeForm } from './key-forms.ts'

const KEYS_MAX = 1000

export class KeysView implements PageView {
  readonly #site: Site
  readonly #dialog = new FormDialog()
  readonly #content = h('div', {})
  readonly element = h('div', { class: 'column' }, this.#content, this.#dialog.element)

  constructor(site: Site) {
    this.#site = site
  }

  refresh(): void {
    this.#try(async () => {
      const { results } = await ask<{ readonly results: readonly Key[] }>(
        'GET',
        `/keys?limit=${KEYS_MAX}`,
      )
      this.#show(results)
    })
  }

  #try(action: () => Promise<void>): void {
    action().catch((error: unknown) => {
      if (isAbort(error)) return
      if (!(error instanceof ServerError)) throw error
      fill(
        this.#content,
        error.code === 'missing_master_key' ? openNote() : errorNote(error, this.#site),
      )
    })
  }

  #show(keys: readonly Key[]): void {
    const create = (): void =>
      this.#try(async () => {
        this.#dialog.open(keyForm(this.#site, await readActions(), () => this.refresh()))
      })
    refill(
      this.#content,
      h(
        'div',
        { class: 'tools' },
        h('p', { class: 'summary' }, plural(keys.length, 'key')),
        h(
          'button',
          {
            class: 'bordered tools-end',
            type: 'button',
            hidden: isReadOnly(),
            'data-focus': 'create',
            onclick: create,
          },
          'Create a key',
        ),
      ),
      h(
        'div',
        { class: 'batches' },
        keys.map((key) => this.#card(key)),
      ),
    )
  }

  #card(key: Key): HTMLElement {
    const { uid, name, description, actions, indexes, expiresAt, createdAt } = key
    const isOver = expiresAt !== null && Date.parse(expiresAt) < Date.now()
    const revoke = (): void => this.#dialog.open(revokeForm(key, () => this.refresh()))
    return h(
      'article',
      { class: 'card' },
      h(
        'header',
        {},
        h('h2', {}, name ?? 'Key without a name'),
        isOver ? h('span', { class: 'pill is-failed' }, 'expired') : null,
        h(
          'button',
          {
            class: 'quiet small tools-end',
            type: 'button',
            hidden: isReadOnly(),
            'aria-label': `Revoke ${name ?? uid}`,
            onclick: revoke,
          },
          'Revoke',
        ),
      ),
      description === null ? null : h('p', { class: 'muted' }, description),
      h('dl', { class: 'members key-members' }, [
        row('permits', tags(actions)),
        row('indexes', tags(indexes)),
        row('valid until', expiresAt === null ? 'without end' : momentText(expiresAt)),
        row('created', agoText(createdAt, Date.now())),
        row('uid', h('code', {}, uid)),
      ]),
    )
  }
}

const row = (name: string, value: Child): HTMLElement =>
  h('div', {}, h('dt', {}, name), h('dd', {}, value))

const tags = (names: readonly string[]): HTMLElement =>
  h(
    'ul',
    { class: 'tags' },
    names.map((name) => h('li', {}, name)),
  )

const openNote = (): HTMLElement =>
  h(
    'div',
    { class: 'notice' },
    h('h2', {}, 'This server is open'),
    h(
      'p',
      {},
      'It has no master key, so it accepts every request, and keys have no effect. Start it with a ' +
        'master key of at least 16 bytes to create keys: ',
      h('code', {}, 'SVC_MASTER_KEY'),
      '.',
    ),
  )
