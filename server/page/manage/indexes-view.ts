// The view of all indexes: their number of documents, their size, and the fields of their
// documents.
import {
  agoText,
  bar,
  bytesText,
  countText,
  fill,
  h,
  type IndexRow,
  noIndexNote,
  type PageView,
  plural,
  type Site,
} from '../parts/index.ts'

const FIELDS_SHOWN = 12

export function indexesView(site: Site): PageView {
  const element = h('div', {})
  const refresh = (): void => {
    if (site.indexes.length === 0) {
      fill(element, noIndexNote(site))
      return
    }
    const add = h(
      'button',
      { class: 'bordered tools-end', type: 'button', onclick: () => site.addDocuments('') },
      'Add documents',
    )
    const count = h('p', { class: 'summary' }, plural(site.indexes.length, 'index', 'indexes'))
    fill(
      element,
      h('div', { class: 'tools' }, count, add),
      h(
        'div',
        { class: 'cards' },
        site.indexes.map((index) => indexCard(index, site)),
      ),
    )
  }
  return { element, refresh }
}

function indexCard(index: IndexRow, site: Site): HTMLElement {
  const { uid, primaryKey, documents, isIndexing, bytes, updatedAt, fields } = index
  const names = Object.entries(fields).sort(([, a], [, b]) => b - a)
  const link = `#/search?${new URLSearchParams({ index: uid })}`
  return h(
    'article',
    { class: 'card' },
    h(
      'header',
      {},
      h('h2', {}, h('a', { href: link }, uid)),
      isIndexing ? h('span', { class: 'pill is-processing' }, 'indexing') : null,
      h(
        'button',
        {
          class: 'quiet small tools-end',
          type: 'button',
          'aria-label': `Add documents to ${uid}`,
          onclick: () => site.addDocuments(uid),
        },
        'Add documents',
      ),
    ),
    h(
      'dl',
      { class: 'figures' },
      figure('documents', documents === null ? '?' : countText(documents)),
      figure('size', bytesText(bytes)),
      figure('primary key', primaryKey ?? 'not set yet'),
      figure('changed', agoText(updatedAt, Date.now())),
    ),
    h(
      'ul',
      { class: 'distribution' },
      names
        .slice(0, FIELDS_SHOWN)
        .map(([name, count]) =>
          h(
            'li',
            {},
            h('span', { class: 'field-name' }, name),
            bar(count / Math.max(1, documents ?? 1), `${plural(count, 'document')} with ${name}`),
            h('span', { class: 'count' }, countText(count)),
          ),
        ),
    ),
    names.length > FIELDS_SHOWN
      ? h(
          'p',
          { class: 'muted' },
          `and ${plural(names.length - FIELDS_SHOWN, 'more field', 'more fields')}`,
        )
      : null,
  )
}

const figure = (name: string, value: string): HTMLElement =>
  h('div', {}, h('dt', {}, name), h('dd', {}, value))
