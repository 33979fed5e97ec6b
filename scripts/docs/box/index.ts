// The search box of the documentation's site. It runs in a browser: reads the server and its key from
// the element that loads it, asks the server while a reader types, and lists the sections found. The
// focus stays in the box; `aria-activedescendant` announces the active section.
import { fill, h, MARK_BEGINS, MARK_ENDS, markedPieces } from '../../../server/page/parts/index.ts'
import { INDEX, SEARCH } from '../search/settings.table.ts'

type Texts = { readonly heading: string; readonly page: string; readonly text: string }
type Hit = {
  readonly url: string
  readonly above: readonly string[]
  readonly _formatted: Texts
}

/** Words of the text around those that were found. */
const CROP_WORDS = 22
const LIST_ID = 'found'

const script = document.currentScript as HTMLScriptElement
/** Addresses of sections begin here. */
const site = new URL('.', script.src)
const { server = '', key } = script.dataset

let options: readonly HTMLAnchorElement[] = []
let active = -1
let abort = new AbortController()

const input = h('input', {
  type: 'search',
  role: 'combobox',
  autocomplete: 'off',
  autocapitalize: 'off',
  spellcheck: 'false',
  placeholder: 'Search',
  'aria-label': 'Search the documentation',
  'aria-autocomplete': 'list',
  'aria-controls': LIST_ID,
  'aria-expanded': 'false',
  'aria-keyshortcuts': '/',
  oninput: () => find(),
  onkeydown: (event) => {
    if (!event.isComposing && onKey(event.key)) event.preventDefault()
  },
  onfocus: () => find(),
  onblur: () => close(),
})
const list = h('div', { class: 'found', id: LIST_ID, role: 'listbox', 'aria-label': 'Sections' })
const note = h('p', { class: 'find-note', role: 'status' })
const place = h('div', { class: 'find', role: 'search' }, input, list, note)

list.hidden = true
document.querySelector('.home')?.after(place)
addEventListener('keydown', (event) => {
  const { key: pressed, target, ctrlKey, metaKey, altKey } = event
  const isTyping = target instanceof Element && target.matches('input:not([type=checkbox])')
  if (pressed !== '/' || ctrlKey || metaKey || altKey || isTyping) return
  event.preventDefault()
  input.focus()
  input.select()
})

function find(): void {
  abort.abort()
  abort = new AbortController()
  const { signal } = abort
  if (input.value.trim() === '') {
    show([], '')
    return
  }
  ask(input.value, signal).then(
    (hits) => {
      if (!signal.aborted) show(hits, hits.length === 0 ? 'Nothing was found.' : '')
    },
    // No connection, a refused key, no index: a reader can do nothing about any of them.
    () => {
      if (!signal.aborted) show([], 'The search does not answer.')
    },
  )
}

async function ask(q: string, signal: AbortSignal): Promise<readonly Hit[]> {
  const answer = await fetch(`${server.replace(/\/$/, '')}/indexes/${INDEX}/search`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      ...SEARCH,
      q,
      attributesToRetrieve: ['url', 'above'],
      attributesToHighlight: ['heading', 'page', 'text'],
      attributesToCrop: ['text'],
      cropLength: CROP_WORDS,
      highlightPreTag: MARK_BEGINS,
      highlightPostTag: MARK_ENDS,
    }),
    signal,
  })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  return ((await answer.json()) as { readonly hits: readonly Hit[] }).hits
}

function show(hits: readonly Hit[], message: string): void {
  options = hits.map(option)
  fill(list, options)
  activate(-1)
  fill(note, message)
  open(hits.length > 0)
}

function option({ url, above, _formatted }: Hit, number: number): HTMLAnchorElement {
  const { heading, page, text } = _formatted
  return h(
    'a',
    {
      href: new URL(url, site).href,
      id: `${LIST_ID}-${number}`,
      role: 'option',
      tabindex: -1,
      'aria-selected': 'false',
      // Keeps the focus in the box.
      onpointerdown: (event: Event) => event.preventDefault(),
      onclick: () => input.blur(),
    },
    h('b', {}, marked(heading)),
    h('small', {}, marked([page, ...above].join(' › '))),
    h('span', {}, marked(text)),
  )
}

const marked = (text: string) =>
  markedPieces(text).map((piece, i) => (i % 2 === 1 ? h('mark', {}, piece) : piece))

function open(isOpen: boolean): void {
  list.hidden = !isOpen
  input.setAttribute('aria-expanded', String(isOpen))
}

function close(): void {
  abort.abort()
  fill(note)
  open(false)
}

function activate(number: number): void {
  options[active]?.setAttribute('aria-selected', 'false')
  const chosen = options[number]
  active = chosen === undefined ? -1 : number
  if (chosen === undefined) {
    input.removeAttribute('aria-activedescendant')
    return
  }
  input.setAttribute('aria-activedescendant', chosen.id)
  chosen.setAttribute('aria-selected', 'true')
  chosen.scrollIntoView({ block: 'nearest' })
}

/** Returns true if the key was for the list or the box. */
function onKey(pressed: string): boolean {
  const isOpen = !list.hidden
  if (pressed === 'ArrowDown' && isOpen) activate(Math.min(active + 1, options.length - 1))
  else if (pressed === 'ArrowDown') find()
  else if (pressed === 'ArrowUp' && isOpen) activate(active - 1)
  else if (pressed === 'Enter' && isOpen) options[Math.max(active, 0)]?.click()
  else if (pressed === 'Escape' && isOpen) close()
  else if (pressed === 'Escape' && input.value !== '') {
    input.value = ''
    close()
  } else if (pressed === 'Escape') input.blur()
  else return false
  return true
}
