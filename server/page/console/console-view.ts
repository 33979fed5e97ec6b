// The console: a request that searches, written as JSON, or two of them side by side, with the change
// of each hit's place.
import { fill, h, type PageView, type Site } from '../parts/index.ts'
import { Pane } from './pane.ts'

export class ConsoleView implements PageView {
  readonly element: HTMLElement
  readonly #first: Pane
  readonly #second: Pane
  readonly #panes: HTMLElement
  readonly #compare = h(
    'button',
    { class: 'bordered', type: 'button', onclick: () => this.#toggle() },
    'Compare two',
  )
  #isCompared = false

  constructor(site: Site) {
    const run = (): void => this.#run()
    this.#first = new Pane(site, 'request 1', run)
    this.#second = new Pane(site, 'request 2', run)
    this.#panes = h('div', { class: 'panes' }, this.#first.element)
    this.element = h(
      'div',
      { class: 'console' },
      h(
        'div',
        { class: 'tools' },
        h('button', { class: 'primary', type: 'button', onclick: run }, 'Send'),
        h('span', { class: 'muted' }, h('kbd', {}, 'Ctrl'), ' ', h('kbd', {}, 'Enter')),
        h('span', { class: 'tools-end' }, this.#compare),
      ),
      this.#panes,
    )
  }

  refresh(): void {
    this.#first.offer()
    this.#second.offer()
    if (document.activeElement === document.body) this.#first.focus()
  }

  #toggle(): void {
    this.#isCompared = !this.#isCompared
    fill(this.#compare, this.#isCompared ? 'Only one' : 'Compare two')
    if (this.#isCompared) this.#second.copy(this.#first)
    fill(this.#panes, this.#first.element, this.#isCompared ? this.#second.element : null)
    this.#panes.classList.toggle('is-two', this.#isCompared)
    if (this.#isCompared) this.#second.focus()
    else this.#first.show(null)
  }

  #run(): void {
    const sent = [this.#first.run(), ...(this.#isCompared ? [this.#second.run()] : [])]
    Promise.all(sent).then(() => {
      if (this.#isCompared) this.#second.show(this.#first)
    })
  }
}
