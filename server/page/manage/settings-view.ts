// The settings of an index with their meaning: arrays as tags, objects as rows, other values as text.
// One setting can be edited in a form or as JSON, and all together as JSON.

import {
  about,
  ask,
  type Child,
  camelText,
  copyButton,
  errorNote,
  fill,
  h,
  indexPath,
  isAbort,
  isReadOnly,
  type JsonSchema,
  type PageView,
  refill,
  ServerError,
  type Site,
} from '../parts/index.ts'
import { type Edited, SettingsEditor } from './settings-editor.ts'
import { settingSchemas } from './value-control.ts'

type Settings = { readonly [setting: string]: unknown }
type Schemas = { readonly [setting: string]: JsonSchema }

export class SettingsView implements PageView {
  readonly element = h('div', { class: 'column' })
  readonly #site: Site
  /** The index whose settings are being edited, or null; an open editor must not be overwritten. */
  #editedIndex: string | null = null

  constructor(site: Site) {
    this.#site = site
  }

  refresh(): void {
    if (this.#editedIndex === this.#site.question.index) return
    this.#editedIndex = null
    this.#read().catch((error: unknown) => {
      if (isAbort(error)) return
      if (!(error instanceof ServerError)) throw error
      fill(this.element, errorNote(error, this.#site))
    })
  }

  async #read(): Promise<void> {
    const { index } = this.#site.question
    const [settings, schemas] = await Promise.all([
      ask<Settings>('GET', indexPath(index, '/settings')),
      // The server describes its API where the page offers changes.
      isReadOnly() ? {} : settingSchemas(),
    ])
    if (index !== this.#site.question.index || this.#editedIndex !== null) return
    this.#show(index, settings, schemas)
  }

  #show(index: string, settings: Settings, schemas: Schemas): void {
    // The server lists some settings only once they were set.
    const names = new Set([...Object.keys(settings), ...Object.keys(schemas)])
    const list = h(
      'dl',
      { class: 'settings card' },
      [...names].map((name) => this.#row(index, name, settings[name], schemas[name] ?? null)),
    )
    const whole = { index, name: null, value: settings, schema: null }
    const all = this.#editButton('Edit all as JSON', () => list, whole)
    refill(
      this.element,
      h(
        'div',
        { class: 'tools' },
        h('h2', {}, `Settings of ${index}`),
        h(
          'span',
          { class: 'tools-end' },
          copyButton(() => JSON.stringify(settings, null, 2)),
          all,
        ),
      ),
      list,
    )
  }

  #row(index: string, name: string, value: unknown, schema: JsonSchema | null): HTMLElement {
    const target = h('div', {}, shown(value))
    const edit = this.#editButton('Edit', () => target, { index, name, value, schema })
    edit.setAttribute('aria-label', `Edit ${name}`)
    return h(
      'div',
      {},
      h('dt', {}, camelText(name), h('code', {}, name)),
      h('dd', {}, h('div', {}, about(schema?.description), target), edit),
    )
  }

  /**
   * Returns a button that shows the form in `target`, or instead of it for all settings. The other
   * edit buttons are hidden until the form is closed.
   */
  #editButton(
    label: string,
    target: () => HTMLElement,
    edited: Omit<Edited, 'close'>,
  ): HTMLButtonElement {
    const open = (): void => {
      this.#editedIndex = edited.index
      for (const other of this.element.querySelectorAll<HTMLElement>('.edit')) other.hidden = true
      const close = (): void => {
        this.#editedIndex = null
        // The button of the list that is shown next receives the focus from this one.
        button.hidden = false
        button.focus()
        this.refresh()
      }
      const editor = new SettingsEditor({ ...edited, close })
      if (edited.name === null) target().replaceWith(editor.element)
      else fill(target(), editor.element)
      editor.focus()
    }
    const hidden = isReadOnly()
    const button = h(
      'button',
      {
        class: 'quiet small edit',
        type: 'button',
        'data-focus': `edit ${edited.name ?? ''}`,
        hidden,
        onclick: open,
      },
      label,
    )
    return button
  }
}

function shown(value: unknown): Child {
  if (value === null || value === undefined) return h('span', { class: 'muted' }, 'not set')
  if (typeof value !== 'object') return h('span', { class: `is-${typeof value}` }, String(value))
  if (Array.isArray(value)) {
    if (value.length === 0) return h('span', { class: 'muted' }, 'none')
    return h(
      'ul',
      { class: 'tags' },
      value.map((element: unknown) =>
        h('li', {}, typeof element === 'object' ? JSON.stringify(element) : String(element)),
      ),
    )
  }
  const members = Object.entries(value)
  if (members.length === 0) return h('span', { class: 'muted' }, 'none')
  return h(
    'dl',
    { class: 'members' },
    members.map(([name, member]) => h('div', {}, h('dt', {}, name), h('dd', {}, shown(member)))),
  )
}
