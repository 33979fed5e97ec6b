// The API page: its header, the list of tags, the operations and the schemas.

import {
  ask,
  fill,
  h,
  KeyControl,
  plural,
  restoreKey,
  ServerError,
  themeButton,
} from '../parts/index.ts'
import { type Description, matches, type Operation, operationsOf } from './api-description.ts'
import { operationEntry, schemaTable } from './api-operation.ts'

export function startApiPage(document: Document): void {
  restoreKey()
  const key = new KeyControl(() => undefined)
  const main = h('main', { class: 'api' }, h('p', { class: 'note', role: 'status' }, 'Loading…'))
  document.body.replaceChildren(header(key), main, key.dialog)
  ask<Description>('GET', '/openapi.json').then(
    (description) => {
      fill(main, contents(description))
      addEventListener('hashchange', followHash)
      followHash()
    },
    (error: unknown) => {
      if (!(error instanceof ServerError)) throw error
      fill(main, h('p', { class: 'refusal' }, error.message))
    },
  )
}

const header = (key: KeyControl): HTMLElement =>
  h(
    'header',
    { class: 'top' },
    h(
      'a',
      { class: 'brand', href: './', 'aria-label': 'Svc Search' },
      h('span', { class: 'brand-mark' }),
      h('span', { class: 'brand-name' }, 'Svc Search'),
    ),
    h(
      'nav',
      { 'aria-label': 'Pages' },
      h('a', { href: './' }, 'Search'),
      h('a', { href: 'openapi', 'aria-current': 'page' }, 'API'),
      h('a', { href: 'openapi.json' }, 'openapi.json'),
    ),
    h('div', { class: 'top-tools' }, key.button, themeButton()),
  )

/** Unfolds the entry that the address names and scrolls to it. */
function followHash(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target === null) return
  if (target instanceof HTMLDetailsElement) target.open = true
  target.scrollIntoView({ block: 'start' })
}

function contents(description: Description): readonly HTMLElement[] {
  const operations = operationsOf(description)
  const entries = operations.map((operation) => ({ operation, entry: operationEntry(operation) }))
  const sections = description.tags.map(({ name }) => {
    const own = entries.filter(({ operation }) => operation.tag === name)
    return {
      own,
      element: h(
        'section',
        { id: `tag-${name}`, 'aria-label': name },
        h('h2', {}, name),
        own.map(({ entry }) => entry),
      ),
    }
  })
  const status = h('p', { class: 'summary muted', role: 'status' })
  const filter = h('input', {
    class: 'query',
    type: 'search',
    placeholder: 'Find an operation',
    'aria-label': 'Find an operation',
    oninput: () => {
      for (const { own, element } of sections) {
        for (const { operation, entry } of own) entry.hidden = !matches(operation, filter.value)
        element.hidden = own.every(({ entry }) => entry.hidden)
      }
      const count = operations.filter((operation) => matches(operation, filter.value)).length
      fill(status, plural(count, 'operation'))
    },
  })
  fill(status, plural(operations.length, 'operation'))
  return [
    subjects(description, operations),
    h(
      'div',
      { class: 'api-contents' },
      h('h1', {}, `The API of Svc Search ${description.info.version}`),
      h(
        'p',
        { class: 'muted' },
        'All requests go to this server. Enter a key above where the server asks for one.',
      ),
      filter,
      status,
      sections.map(({ element }) => element),
      schemas(description),
    ),
  ]
}

const subjects = ({ tags }: Description, operations: readonly Operation[]): HTMLElement =>
  h(
    'aside',
    { class: 'side', 'aria-label': 'Subjects' },
    h(
      'ul',
      {},
      tags.map(({ name }) =>
        h(
          'li',
          {},
          h('a', { href: `#tag-${name}` }, name),
          ' ',
          h('span', { class: 'count' }, operations.filter(({ tag }) => tag === name).length),
        ),
      ),
      h('li', {}, h('a', { href: '#schemas' }, 'schemas')),
    ),
  )

const schemas = ({ components }: Description): HTMLElement =>
  h(
    'section',
    { id: 'schemas', 'aria-label': 'Schemas' },
    h('h2', {}, 'schemas'),
    Object.entries(components.schemas).map(([name, schema]) =>
      h(
        'details',
        { class: 'operation', id: `schema-${name}` },
        h('summary', {}, h('code', {}, name)),
        h('div', { class: 'operation-contents' }, schemaTable(schema)),
      ),
    ),
  )
