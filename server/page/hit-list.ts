// The list of hits, and which of them the keys have chosen. The focus is in the search box or on
// the list itself; the chosen hit is told to screen readers by `aria-activedescendant`.
import { fill, h } from './element.ts'
import { hitCard, hitId } from './hits.ts'
import type { Hit } from './query.ts'

export class HitList {
  readonly element: HTMLUListElement
  readonly #owners: readonly HTMLElement[]
  readonly #open: (number: number) => void
  #hits: Hit[] = []
  #active = -1

  /** `box`: the field from which hits are chosen, besides the list. */
  constructor(
    box: HTMLElement,
    open: (number: number) => void,
    onKey: (event: KeyboardEvent) => void,
  ) {
    this.element = h('ul', {
      class: 'hits',
      id: 'hits',
      role: 'listbox',
      tabindex: 0,
      'aria-label': 'Hits',
      'aria-describedby': 'keys-hint',
      onkeydown: onKey,
    })
    this.#owners = [box, this.element]
    this.#open = open
  }

  get hits(): readonly Hit[] {
    return this.#hits
  }
  /** −1: no hit is chosen. */
  get active(): number {
    return this.#active
  }

  show(hits: readonly Hit[], primaryKey: string | null): void {
    this.#hits = []
    fill(this.element)
    this.append(hits, primaryKey)
    this.element.hidden = hits.length === 0
    this.activate(-1)
  }

  append(hits: readonly Hit[], primaryKey: string | null): void {
    const from = this.#hits.length
    this.#hits.push(...hits)
    this.element.append(
      ...hits.map((hit, i) => hitCard(hit, from + i, primaryKey, () => this.#open(from + i))),
    )
  }

  activate(number: number): void {
    this.element.children[this.#active]?.setAttribute('aria-selected', 'false')
    const card = this.element.children[number]
    this.#active = card === undefined ? -1 : number
    for (const owner of this.#owners) {
      if (card === undefined) owner.removeAttribute('aria-activedescendant')
      else owner.setAttribute('aria-activedescendant', hitId(number))
    }
    card?.setAttribute('aria-selected', 'true')
    card?.scrollIntoView({ block: 'nearest' })
  }

  /** Chooses the next hit, or the one before; −1 is before the first. */
  step(by: 1 | -1): void {
    this.activate(Math.max(-1, Math.min(this.#hits.length - 1, this.#active + by)))
  }
}
