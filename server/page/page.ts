// The page as a whole: its head, one of its views, and what they share: the address, the list of
// indexes, the key. The server is asked now and then whether something has changed.
import { readAddress, VIEWS, type View, writeAddress } from './address.ts'
import { ChatView } from './chat-view.ts'
import { fill, h } from './element.ts'
import { indexesView } from './indexes-view.ts'
import { type KeyDialog, keyDialog } from './key-dialog.ts'
import { hasNetwork } from './network-model.ts'
import { networkView, readNetwork } from './network-view.ts'
import { noIndexNote, refusalNote } from './notes.ts'
import type { Question } from './query.ts'
import { SearchView } from './search-view.ts'
import { ask, isAbort, Refusal } from './server.ts'
import { settingsView } from './settings-view.ts'
import type { IndexRow, PageView, Site } from './site.ts'
import { TasksView } from './tasks-view.ts'
import { themeButton } from './theme.ts'
import { countText } from './words.ts'

const POLL_MS = 1500
/** Views that show something also where there is no index. */
const WITHOUT_INDEX: ReadonlySet<View> = new Set(['tasks', 'network'])
const NAMES = {
  search: 'Search',
  chat: 'Chat',
  indexes: 'Indexes',
  tasks: 'Tasks',
  network: 'Network',
  settings: 'Settings',
}

type IndexAnswer = Pick<IndexRow, 'uid' | 'primaryKey' | 'createdAt' | 'updatedAt'>
type IndexStats = {
  readonly numberOfDocuments: number
  readonly rawDocumentDbSize: number
  readonly isIndexing: boolean
  readonly fieldDistribution: { readonly [field: string]: number }
}
type Features = { readonly chatCompletions?: boolean; readonly network?: boolean }
type Chats = { readonly results: readonly { readonly uid: string }[] }
type Stats = { readonly indexes: { readonly [uid: string]: IndexStats } }

export function startPage(document: Document): void {
  const page = new Page()
  document.body.replaceChildren(page.header, page.main, page.dialog)
  page.start()
}

class Page implements Site {
  readonly header: HTMLElement
  readonly main = h('main', { id: 'main' })
  readonly #links: ReadonlyMap<View, HTMLAnchorElement>
  readonly #picker = h('select', { 'aria-label': 'Index' })
  readonly #search: SearchView
  readonly #chat = new ChatView()
  readonly #views: { readonly [view in View]: PageView }
  readonly #key: KeyDialog
  #place = readAddress(location.hash)
  #indexes: readonly IndexRow[] = []
  /** What the last look at the indexes came to; another text is news. */
  #seen = ''
  /** Why the indexes cannot be told; null: they can. */
  #refusal: Refusal | null = null

  constructor() {
    this.#key = keyDialog(() => this.retry())
    this.#search = new SearchView(this)
    this.#views = {
      search: this.#search,
      chat: this.#chat,
      indexes: indexesView(this),
      tasks: new TasksView(this),
      network: networkView(this),
      settings: settingsView(this),
    }
    this.#links = new Map(VIEWS.map((view) => [view, h('a', { href: `#/${view}` }, NAMES[view])]))
    this.#links.get('chat')!.hidden = true
    this.#links.get('network')!.hidden = true
    this.#picker.addEventListener('change', () => this.#pick(this.#picker.value))
    this.header = this.#makeHeader()
  }

  get dialog(): HTMLDialogElement {
    return this.#key.dialog
  }
  get question(): Question {
    return this.#place.question
  }
  get indexes(): readonly IndexRow[] {
    return this.#indexes
  }
  get primaryKey(): string | null {
    return this.#indexes.find(({ uid }) => uid === this.question.index)?.primaryKey ?? null
  }

  ask(change: Partial<Question>): void {
    this.#move({ ...this.question, ...change }, this.#place.view)
    this.#search.search()
  }

  retry(): void {
    this.#seen = ''
    this.#look()
  }

  enterKey(): void {
    this.#key.open()
  }

  start(): void {
    addEventListener('hashchange', () => this.#followAddress())
    addEventListener('keydown', (event) => this.#onKey(event))
    this.#look()
    setInterval(() => {
      if (document.hidden || this.dialog.open) return
      this.#look()
      this.#views[this.#place.view].tick?.()
    }, POLL_MS)
  }

  #makeHeader(): HTMLElement {
    return h(
      'header',
      { class: 'top' },
      h(
        'a',
        { class: 'brand', href: '#/search' },
        h('span', { class: 'brand-mark' }),
        'Svc Search',
      ),
      h('nav', { 'aria-label': 'Views' }, [...this.#links.values()]),
      h('div', { class: 'top-tools' }, this.#picker, this.#key.button, themeButton()),
    )
  }

  /** Reads the list of indexes; shows the view anew when something has changed. */
  #look(): void {
    this.#readIndexes().then(
      (indexes) => {
        const seen = JSON.stringify(indexes)
        if (seen === this.#seen) return
        this.#seen = seen
        this.#refusal = null
        this.#indexes = indexes
        this.#chooseIndex()
        this.#show()
        this.#findChats()
        this.#findNetwork()
      },
      (error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof Refusal)) throw error
        const seen = `${error.status} ${error.code}`
        if (seen === this.#seen) return
        this.#seen = seen
        this.#refusal = error
        this.#picker.hidden = true
        this.#show()
      },
    )
  }

  /** The chat is there when a workspace is. A key that may not see them has none. */
  #findChats(): void {
    const read = async (): Promise<readonly { readonly uid: string }[]> => {
      const features = await ask<Features>('GET', '/experimental-features')
      if (!features.chatCompletions) return []
      const { results } = await ask<Chats>('GET', '/chats?limit=100')
      return results
    }
    read().then(
      (workspaces) => {
        this.#chat.offer(workspaces.map(({ uid }) => uid))
        this.#links.get('chat')!.hidden = workspaces.length === 0
      },
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        this.#links.get('chat')!.hidden = true
      },
    )
  }

  /** The link is there when this instance is part of a network, and the key may see that. */
  #findNetwork(): void {
    const link = this.#links.get('network')!
    const read = async (): Promise<boolean> => {
      const features = await ask<Features>('GET', '/experimental-features')
      return features.network === true && hasNetwork(await readNetwork())
    }
    read().then(
      (isThere) => {
        link.hidden = !isThere
      },
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        link.hidden = true
      },
    )
  }

  async #readIndexes(): Promise<readonly IndexRow[]> {
    const [{ results }, stats] = await Promise.all([
      ask<{ readonly results: readonly IndexAnswer[] }>('GET', '/indexes?limit=1000'),
      ask<Stats>('GET', '/stats').catch((error: unknown): Stats => {
        // A key that may not see them.
        if (!(error instanceof Refusal && error.wantsKey)) throw error
        return { indexes: {} }
      }),
    ])
    return results.map((index) => {
      const own = stats.indexes[index.uid]
      return {
        ...index,
        documents: own?.numberOfDocuments ?? null,
        isIndexing: own?.isIndexing ?? false,
        bytes: own?.rawDocumentDbSize ?? 0,
        fields: own?.fieldDistribution ?? {},
      }
    })
  }

  #chooseIndex(): void {
    const { question, view } = this.#place
    const names = this.#indexes.map(({ uid }) => uid)
    const index = names.includes(question.index) ? question.index : (names[0] ?? '')
    if (index !== question.index) this.#move({ ...question, index }, view)
    fill(
      this.#picker,
      this.#indexes.map(({ uid, documents }) =>
        h(
          'option',
          { value: uid, selected: uid === index },
          documents === null ? uid : `${uid} (${countText(documents)})`,
        ),
      ),
    )
    this.#picker.hidden = names.length === 0
  }

  #pick(index: string): void {
    this.#move(
      { ...this.question, index, sort: '', embedder: '', ticked: new Map(), ranges: new Map() },
      this.#place.view,
    )
    this.#show()
  }

  /** Typing replaces the address; it does not fill the history. */
  #move(question: Question, view: View): void {
    this.#place = { question, view }
    history.replaceState(null, '', writeAddress(this.#place))
  }

  #followAddress(): void {
    const place = readAddress(location.hash)
    const index = place.question.index || this.question.index
    const isBare = !location.hash.includes('?')
    const question = isBare ? this.question : { ...place.question, index }
    this.#move(question, place.view)
    this.#chooseIndex()
    this.#show()
    scrollTo(0, 0)
  }

  #show(): void {
    const { view, question } = this.#place
    for (const [name, link] of this.#links) {
      if (name === view) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    document.title = `${NAMES[view]}${question.index === '' ? '' : ` · ${question.index}`} · Svc Search`
    const note = this.#note(view)
    const shown = note ?? this.#views[view].element
    if (this.main.firstElementChild !== shown) fill(this.main, shown)
    if (note !== null) return
    this.#views[view].refresh()
    if (view === 'search' && document.activeElement === document.body) this.#search.focus()
  }

  /** What is shown instead of a view. */
  #note(view: View): HTMLElement | null {
    if (this.#refusal !== null) return refusalNote(this.#refusal, this)
    return this.#indexes.length === 0 && !WITHOUT_INDEX.has(view) ? noIndexNote() : null
  }

  #onKey(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || this.dialog.open) return
    const isTyping =
      target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea')
    if (key === '/' && !isTyping) {
      event.preventDefault()
      if (this.#place.view !== 'search') location.hash = '#/search'
      else this.#search.focus()
    } else if (key === 'Escape' && this.#place.view === 'search') this.#search.escape()
  }
}
