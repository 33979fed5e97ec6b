// The hits as a list of cards or as a table, and the hit that is active for the keyboard. The focus
// stays in the search box or on the list; `aria-activedescendant` announces the active hit to screen readers.
import { fill, type Hit, h, type Question } from '../parts/index.ts'
import { hitTable } from './hit-table.ts'
import { hitCard, hitId, isHitId } from './hits.ts'

export class HitList {
  /** The list and the table, of which one is shown. */
  readonly element: HTMLElement
  /** Switches between the list and the table. */
  readonly toggle = h(
    'button',
    {
      class: 'quiet small',
      type: 'button',
      'aria-pressed': 'false',
      onclick: () => {
        this.#isTable = !this.#isTable
        this.toggle.setAttribute('aria-pressed', String(this.#isTable))
        this.#showTable()
      },
    },
    'Table',
  )
  readonly #list: HTMLUListElement
  readonly #table = h('div', {})
  readonly #owners: readonly HTMLElement[]
  readonly #open: (number: number) => void
  #hits: Hit[] = []
  #active = -1
  #isTable = false
  #primaryKey: string | null = null

  /** `box`: the search field, whose arrow keys choose hits like those of the list. */
  constructor(
    box: HTMLElement,
    open: (number: number) => void,
    onKey: (event: KeyboardEvent) => void,
  ) {
    this.#list = h('ul', {
      class: 'hits',
      id: 'hits',
      role: 'listbox',
      tabindex: 0,
      'aria-label': 'Hits',
      'aria-describedby': 'keys-hint',
      onkeydown: onKey,
    })
    this.element = h('div', {}, this.#list, this.#table)
    this.#owners = [box, this.#list]
    this.#open = open
  }

  get hits(): readonly Hit[] {
    return this.#hits
  }
  /** Position of the active hit, or −1 if no hit is active. */
  get active(): number {
    return this.#active
  }

  show(hits: readonly Hit[], primaryKey: string | null, question: Question): void {
    this.#hits = []
    fill(this.#list)
    this.append(hits, primaryKey, question)
    this.activate(-1)
  }

  append(hits: readonly Hit[], primaryKey: string | null, question: Question): void {
    const from = this.#hits.length
    this.#hits.push(...hits)
    this.#primaryKey = primaryKey
    this.#list.append(
      ...hits.map((hit, i) =>
        hitCard(hit, from + i, primaryKey, question, () => this.#open(from + i)),
      ),
    )
    this.#showTable()
  }

  #showTable(): void {
    const isEmpty = this.#hits.length === 0
    this.#list.hidden = isEmpty || this.#isTable
    this.toggle.hidden = isEmpty
    const { scrollLeft = 0 } = this.#table.firstElementChild ?? {}
    fill(
      this.#table,
      isEmpty || !this.#isTable
        ? null
        : hitTable(this.#hits, {
            label: 'Table of hits',
            primaryKey: this.#primaryKey,
            open: this.#open,
          }),
    )
    this.#table.firstElementChild?.scrollTo({ left: scrollLeft })
  }

  activate(number: number): void {
    this.#list.children[this.#active]?.setAttribute('aria-selected', 'false')
    const card = this.#list.children[number]
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
