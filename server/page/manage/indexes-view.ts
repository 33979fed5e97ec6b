// The view of all indexes: their number of documents, their size, the fields of their documents, and
// what can be done with each.
import {
  agoText,
  bar,
  bytesText,
  countText,
  h,
  type IndexRow,
  isReadOnly,
  noIndexNote,
  type PageView,
  plural,
  refill,
  type Site,
} from '../parts/index.ts'
import { FormDialog } from './form-dialog.ts'
import { createForm, deleteForm, renameForm, swapForm } from './index-actions.ts'
import { LastHour } from './last-hour.ts'

const FIELDS_SHOWN = 12

export function indexesView(site: Site): PageView {
  const content = h('div', {})
  const dialog = new FormDialog()
  const hour = new LastHour()
  const element = h('div', {}, content, dialog.element)
  const refresh = (): void => {
    const tools = h(
      'span',
      { class: 'tools-end' },
      tool('Create an index', () => dialog.open(createForm(site))),
      tool('Add documents', () => site.addDocuments('')),
    )
    const count = h('p', { class: 'summary' }, plural(site.indexes.length, 'index', 'indexes'))
    const top = h('div', { class: 'tools' }, count, isReadOnly() ? null : tools)
    if (site.indexes.length === 0) {
      refill(content, top, noIndexNote(site))
      return
    }
    refill(
      content,
      top,
      hour.element,
      h(
        'div',
        { class: 'cards' },
        site.indexes.map((index) => indexCard(index, site, dialog, hour)),
      ),
    )
  }
  return {
    element,
    refresh: () => {
      refresh()
      hour.read()
    },
    tick: () => hour.read(),
  }
}

function indexCard(index: IndexRow, site: Site, dialog: FormDialog, hour: LastHour): HTMLElement {
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
    ),
    h(
      'dl',
      { class: 'figures' },
      figure('documents', documents === null ? '?' : countText(documents)),
      figure('size', bytesText(bytes)),
      figure('primary key', primaryKey ?? 'not set yet'),
      figure('changed', agoText(updatedAt, Date.now())),
    ),
    hour.sizeOf(uid),
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
    isReadOnly()
      ? null
      : h('div', { class: 'card-actions' }, [
          action('Add documents', `Add documents to ${uid}`, () => site.addDocuments(uid)),
          action('Rename', `Rename ${uid}`, () => dialog.open(renameForm(index, site))),
          site.indexes.length > 1
            ? action('Swap', `Swap ${uid}`, () => dialog.open(swapForm(index, site)))
            : null,
          action('Delete', `Delete ${uid}`, () => dialog.open(deleteForm(index, site))),
        ]),
  )
}

const tool = (label: string, onclick: () => void): HTMLElement =>
  h('button', { class: 'bordered', type: 'button', 'data-focus': label, onclick }, label)

const action = (label: string, name: string, onclick: () => void): HTMLElement =>
  h(
    'button',
    {
      class: 'quiet small',
      type: 'button',
      'aria-label': name,
      'data-focus': name,
      onclick,
    },
    label,
  )

const figure = (name: string, value: string): HTMLElement =>
  h('div', {}, h('dt', {}, name), h('dd', {}, value))
