// Shows one complete document and how it was ranked. Addresses in the document are links; pictures are
// loaded only from the origins that the operator allows.
import {
  ask,
  bar,
  type Child,
  copyButton,
  fill,
  type Hit,
  h,
  ICONS,
  icon,
  imageOrigins,
  indexPath,
  isAbort,
  markedPieces,
  matchingElements,
  placeIn,
  type Question,
  ServerError,
} from '../parts/index.ts'
import { fieldsOf, hitText } from './hit-text.ts'
import { link, picture, pictureAddress, webAddress } from './picture.ts'
import { type RuleScore, ruleScores, type ScorePart } from './ranking.ts'
import { similarSection } from './similar.ts'

export type Inspected = {
  readonly hit: Hit
  readonly question: Question
  readonly primaryKey: string | null
  readonly embedders: readonly string[]
  /** Whether the index finds words by their stems. */
  readonly hasStems: boolean
}

type InspectorEvents = {
  readonly close: () => void
  /** Goes to the next or the previous hit. */
  readonly step: (by: 1 | -1) => void
}

export class Inspector {
  readonly element: HTMLElement
  #abort = new AbortController()
  readonly #events: InspectorEvents

  constructor(events: InspectorEvents) {
    this.#events = events
    this.element = h('aside', {
      class: 'inspector',
      'aria-label': 'Document',
      tabindex: -1,
      hidden: true,
      onkeydown: (event) => this.#onKey(event),
    })
  }

  focus(): void {
    this.element.focus()
  }

  get isOpen(): boolean {
    return !this.element.hidden
  }

  open(inspected: Inspected): void {
    this.#abort.abort()
    this.#abort = new AbortController()
    this.#show(inspected, Object.fromEntries(fieldsOf(inspected.hit)))
    this.element.hidden = false
    this.element.scrollTop = 0
    this.#loadComplete(inspected).catch((error: unknown) => {
      if (!isAbort(error)) throw error
    })
  }

  close(): void {
    if (!this.isOpen) return
    this.#abort.abort()
    this.element.hidden = true
    this.#events.close()
  }

  /**
   * Requests the complete document, because the search may return only some fields. The key need
   * not permit this.
   */
  async #loadComplete(inspected: Inspected): Promise<void> {
    const { hit, question, primaryKey } = inspected
    const key = primaryKey === null ? undefined : hit[primaryKey]
    if (key === undefined) return
    const { signal } = this.#abort
    const path = indexPath(question.index, `/documents/${encodeURIComponent(String(key))}`)
    try {
      const complete = await ask<Hit>('GET', path, undefined, signal)
      if (!signal.aborted) this.#show(inspected, complete)
    } catch (error) {
      // The fields that the search returned stay visible.
      if (!(error instanceof ServerError)) throw error
    }
  }

  #show(inspected: Inspected, document: Hit): void {
    const { hit, primaryKey, question, hasStems } = inspected
    const scores = ruleScores(hit['_rankingScoreDetails'], hasStems)
    const matching = matchingElements(question, document)
    const heading = hitText(hit, primaryKey).heading?.text ?? ''
    fill(
      this.element,
      h(
        'header',
        { class: 'inspector-head' },
        h('h2', { dir: 'auto' }, markedPieces(heading).join('') || 'Document'),
        h('span', { class: 'inspector-tools' }, [
          this.#tool('Previous hit', ICONS.previous, () => this.#step(-1)),
          this.#tool('Next hit', ICONS.next, () => this.#step(1)),
          this.#tool('Close', ICONS.close, () => this.close()),
        ]),
      ),
      scores.length === 0 ? null : ranking(hit['_rankingScore'], scores),
      h(
        'section',
        {},
        h(
          'h3',
          {},
          'Document',
          copyButton(() => JSON.stringify(document, null, 2)),
        ),
        h(
          'dl',
          { class: 'fields' },
          Object.entries(document).map(([name, value]) =>
            h(
              'div',
              {},
              h('dt', {}, name),
              h('dd', { dir: 'auto' }, valueText(name, value, matching)),
            ),
          ),
        ),
      ),
      this.#similar(inspected),
    )
  }

  #tool(label: string, path: string, onclick: () => void): HTMLElement {
    return h(
      'button',
      { class: 'quiet', type: 'button', title: label, 'aria-label': label, onclick },
      icon(path),
    )
  }

  #step(by: 1 | -1): void {
    this.#events.step(by)
    // The button that had the focus was replaced by a new element.
    this.focus()
  }

  /**
   * ← and → go to the previous and the next hit, except in elements where they scroll or move a
   * cursor.
   */
  #onKey(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey) return
    if (target instanceof Element && target.matches('pre, input, select, textarea')) return
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    event.preventDefault()
    this.#step(key === 'ArrowRight' ? 1 : -1)
  }

  #similar(inspected: Inspected): HTMLElement | null {
    const { hit, question, primaryKey, embedders } = inspected
    const key = primaryKey === null ? undefined : hit[primaryKey]
    if (key === undefined || embedders.length === 0) return null
    return similarSection({
      index: question.index,
      key,
      primaryKey,
      embedders,
      embedder: question.embedder,
      signal: this.#abort.signal,
      open: (hit) => this.open({ ...inspected, hit }),
    })
  }
}

function ranking(score: unknown, scores: readonly RuleScore[]): HTMLElement {
  return h(
    'section',
    {},
    h('h3', {}, 'Ranking', h('b', { class: 'score' }, Number(score ?? 0).toFixed(4))),
    h(
      'ol',
      { class: 'rules' },
      scores.map(({ rule, score, notes, parts }) =>
        h(
          'li',
          {},
          h('span', { class: 'rule' }, rule),
          h('span', { class: 'rule-score' }, score === null ? '' : score.toFixed(3)),
          score === null ? null : bar(score, `${rule}: ${score.toFixed(3)}`),
          notes.length === 0 ? null : h('span', { class: 'rule-notes' }, notes.join(' · ')),
          parts.length === 0 ? null : h('ul', { class: 'rule-parts' }, parts.map(partOf)),
        ),
      ),
    ),
  )
}

const partOf = ({ name, share, text }: ScorePart): HTMLElement =>
  h(
    'li',
    {},
    h('span', { class: 'rule-part', dir: 'auto' }, name),
    h('span', { class: 'rule-score' }, text),
    bar(share, `${name}: ${text}`),
  )

/**
 * Returns addresses as links and pictures, other strings unchanged and other values as JSON, in
 * which the objects at `matching` places are marked.
 */
function valueText(name: string, value: unknown, matching: ReadonlySet<string>): Child {
  const address = webAddress(value)
  if (address !== null) {
    const shown = pictureAddress(name, value, imageOrigins())
    return [link(address, String(value)), shown === null ? null : picture(shown, 'picture')]
  }
  if (typeof value === 'string') return value === '' ? h('i', {}, 'empty text') : value
  const kind = value === null ? 'null' : typeof value
  if (kind === 'object') return h('pre', {}, jsonOf(value, matching, name, ''))
  return h('span', { class: `is-${kind}` }, String(value))
}

function jsonOf(
  value: unknown,
  matching: ReadonlySet<string>,
  place: string,
  indent: string,
): readonly Child[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  const [begin, end] = isList ? ['[', ']'] : ['{', '}']
  const inner = `${indent}  `
  const lines = members.flatMap(([name, member], i): readonly Child[] => {
    const at = placeIn(place, name)
    const head = `${i === 0 ? '' : ','}\n${inner}${isList ? '' : `${JSON.stringify(name)}: `}`
    const text = jsonOf(member, matching, at, inner)
    return [head, ...(matching.has(at) ? [h('mark', {}, text)] : text)]
  })
  return members.length === 0 ? [begin + end] : [begin, ...lines, `\n${indent}${end}`]
}
