// The settings of an index, to be read: lists as tags, tables as rows, the rest as it is.
import { type Child, fill, h } from './element.ts'
import { copyButton } from './inspector.ts'
import { noIndexNote, refusalNote } from './notes.ts'
import { ask, indexPath, isAbort, Refusal } from './server.ts'
import type { PageView, Site } from './site.ts'
import { camelText } from './words.ts'

type Settings = { readonly [setting: string]: unknown }

export function settingsView(site: Site): PageView {
  const element = h('div', { class: 'column' })
  const read = async (): Promise<void> => {
    const { index } = site.question
    if (index === '') return fill(element, noIndexNote())
    const settings = await ask<Settings>('GET', indexPath(index, '/settings'))
    if (index !== site.question.index) return
    fill(
      element,
      h(
        'div',
        { class: 'tools' },
        h('h2', {}, `Settings of ${index}`),
        copyButton(() => JSON.stringify(settings, null, 2)),
      ),
      h(
        'dl',
        { class: 'settings card' },
        Object.entries(settings).map(([name, value]) =>
          h(
            'div',
            {},
            h('dt', {}, camelText(name), h('code', {}, name)),
            h('dd', {}, shown(value)),
          ),
        ),
      ),
    )
  }
  const refresh = (): void => {
    read().catch((error: unknown) => {
      if (isAbort(error)) return
      if (!(error instanceof Refusal)) throw error
      fill(element, refusalNote(error, site))
    })
  }
  return { element, refresh }
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
