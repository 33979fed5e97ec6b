// Hits as a table: a row for each hit, a column for each field.
import { type Child, type Hit, h } from '../parts/index.ts'
import { fieldsOf, textOf } from './hit-text.ts'
import { marked } from './hits.ts'
import { link, webAddress } from './picture.ts'

/** More columns are not read by anyone; the document itself shows all fields. */
const COLUMNS_MAX = 20

export type HitTableOptions = {
  /** The name that screen readers announce. */
  readonly label: string
  readonly primaryKey: string | null
  /** Opens the document of a hit; null if rows cannot be opened. */
  readonly open: ((number: number) => void) | null
  /** Returns the content of an additional first column. */
  readonly first?: { readonly heading: string; readonly cell: (number: number) => Child }
}

/** Returns the fields that hits have: the primary key, then those of most hits. */
export function columnsOf(hits: readonly Hit[], primaryKey: string | null): readonly string[] {
  const counts = new Map<string, number>()
  for (const hit of hits) {
    for (const [name] of fieldsOf(hit)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!)
  const others = names.filter((name) => name !== primaryKey)
  const first = primaryKey !== null && counts.has(primaryKey) ? [primaryKey] : []
  return [...first, ...others].slice(0, COLUMNS_MAX)
}

export function hitTable(hits: readonly Hit[], options: HitTableOptions): HTMLElement {
  const { label, primaryKey, open, first } = options
  const columns = columnsOf(hits, primaryKey)
  const cell = (hit: Hit, name: string): HTMLElement => {
    const formatted = (hit['_formatted'] ?? hit) as Hit
    const isNumber = typeof hit[name] === 'number'
    const address = webAddress(hit[name])
    return h(
      'td',
      { class: isNumber ? 'is-figure' : null, dir: 'auto' },
      address === null ? marked(textOf(formatted[name])) : link(address, String(hit[name])),
    )
  }
  const opener = (number: number): HTMLElement =>
    h(
      'button',
      {
        class: 'link',
        type: 'button',
        'aria-label': `Open hit ${number + 1}`,
        onclick: () => open?.(number),
      },
      number + 1,
    )
  return h(
    'div',
    { class: 'hit-table', role: 'region', 'aria-label': label, tabindex: '0' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h('tr', {}, [
          h('th', { scope: 'col' }, '#'),
          first === undefined ? null : h('th', { scope: 'col' }, first.heading),
          columns.map((name) => h('th', { scope: 'col' }, name)),
        ]),
      ),
      h(
        'tbody',
        {},
        hits.map((hit, i) =>
          h('tr', {}, [
            h('td', { class: 'is-figure' }, open === null ? i + 1 : opener(i)),
            first === undefined ? null : h('td', {}, first.cell(i)),
            columns.map((name) => cell(hit, name)),
          ]),
        ),
      ),
    ),
  )
}
