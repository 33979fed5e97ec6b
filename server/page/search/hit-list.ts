// The list of hits, and the hit that is active for the keyboard. The focus stays in the search box
// or on the list; `aria-activedescendant` announces the active hit to screen readers.
import { fill, type Hit, h } from '../parts/index.ts'
import { hitCard, hitId, isHitId } from './hits.ts'

export class HitList {
  readonly element: HTMLUListElement
  readonly #owners: readonly HTMLElement[]
  readonly #open: (number: number) => void
  #hits: Hit[] = []
  #active = -1

  /** `box`: the search field, whose arrow keys choose hits like those of the list. */
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
  /** Position of the active hit, or −1 if no hit is active. */
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
      // The box may have an active suggestion instead.
      const isOfHit = isHitId(owner.getAttribute('aria-activedescendant'))
      if (card === undefined && isOfHit) owner.removeAttribute('aria-activedescendant')
      if (card !== undefined) owner.setAttribute('aria-activedescendant', hitId(number))
    }
    card?.setAttribute('aria-selected', 'true')
    card?.scrollIntoView({ block: 'nearest' })
  }

  /** Activates the next or the previous hit; −1 is the position before the first. */
  step(by: 1 | -1): void {
    this.activate(Math.max(-1, Math.min(this.#hits.length - 1, this.#active + by)))
  }
}
