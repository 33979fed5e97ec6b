// Rows of a form that the user adds and removes.
import { h } from '../parts/index.ts'

export class Rows<T> {
  readonly element: HTMLElement
  readonly #place = h('div', { class: 'value-rows' })
  readonly #rows = new Set<() => T>()
  readonly #add: HTMLButtonElement

  /** `make`: adds an empty row. */
  constructor(label: string, make: () => HTMLElement) {
    this.#add = h(
      'button',
      {
        class: 'bordered small',
        type: 'button',
        'aria-label': `Add to ${label}`,
        onclick: () => make().querySelector<HTMLElement>('input, select, textarea')?.focus(),
      },
      'Add',
    )
    this.element = h('div', {}, this.#place, this.#add)
  }

  /** Adds a row of `controls`; `read` returns its value. */
  add(controls: readonly HTMLElement[], read: () => T): HTMLElement {
    const remove = (): void => {
      this.#rows.delete(read)
      row.remove()
      this.#add.focus()
    }
    const button = h('button', { class: 'quiet small', type: 'button', onclick: remove }, 'Remove')
    const row = h('div', { class: 'value-row' }, controls, button)
    this.#rows.add(read)
    this.#place.append(row)
    return row
  }

  /** Returns the value of each row, in order. */
  values(): readonly T[] {
    return [...this.#rows].map((read) => read())
  }
}
