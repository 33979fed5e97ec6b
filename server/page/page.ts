// The preview page: its header, its views, and the state that they share: the address, the list of
// indexes, the key. The page reads the indexes again when a task changes; it polls a server that does
// not send changes.

import { ConsoleView } from './console/index.ts'
import {
  FormDialog,
  hasNetwork,
  indexesView,
  KeysView,
  networkView,
  readIndexes,
  readNetwork,
  SettingsView,
  shownIndex,
  TasksView,
  UploadDialog,
  workspaceForm,
} from './manage/index.ts'
import {
  ALL_TASKS,
  ask,
  batchChanges,
  countText,
  errorNote,
  fill,
  h,
  type IndexRow,
  isAbort,
  isReadOnly,
  KeyControl,
  noIndexNote,
  type PageView,
  type Place,
  type Question,
  readAddress,
  restoreKey,
  ServerError,
  type Site,
  soon,
  type TaskPlace,
  taskChanges,
  themeButton,
  unknownIndexNote,
  VIEWS,
  type View,
  writeAddress,
} from './parts/index.ts'
import { ChatView, SearchView } from './search/index.ts'

const POLL_MS = 1500
/** Changes come in groups: a batch ends with all of its tasks. */
const CHANGES_MS = 200
/** Views that show one index. */
const OF_AN_INDEX: ReadonlySet<View> = new Set(['search', 'console', 'settings'])
const NAMES = {
  search: 'Search',
  console: 'Console',
  chat: 'Chat',
  indexes: 'Indexes',
  tasks: 'Tasks',
  network: 'Network',
  settings: 'Settings',
  keys: 'Keys',
}

type Features = { readonly chatCompletions?: boolean; readonly network?: boolean }
type Chats = { readonly results: readonly { readonly uid: string }[] }
const NO_CHATS: Chats = { results: [] }

export function startPage(document: Document): void {
  restoreKey()
  const page = new Page()
  document.body.replaceChildren(page.header, page.main, ...page.dialogs)
  page.start()
}

class Page implements Site {
  readonly header: HTMLElement
  readonly #heading = h('h1', { class: 'unseen' })
  readonly #content = h('div', {})
  readonly main = h('main', { id: 'main' }, this.#heading, this.#content)
  readonly #links: ReadonlyMap<View, HTMLAnchorElement>
  readonly #picker = h('select', { 'aria-label': 'Index' })
  readonly #search: SearchView
  readonly #chat = new ChatView(() => this.#makeWorkspace())
  readonly #form = new FormDialog()
  readonly #views: { readonly [view in View]: PageView }
  readonly #upload = new UploadDialog(this)
  readonly #key = new KeyControl(() => this.retry())
  #place = readAddress(location.hash)
  #indexes: readonly IndexRow[] = []
  /** The last answer about the indexes, as text; the page is updated when it changes. */
  #lastAnswer = ''
  #leaveBatches: (() => void) | null = null
  /** Why the indexes could not be read, or null if they were read. */
  #error: ServerError | null = null

  constructor() {
    this.#search = new SearchView(this)
    this.#views = {
      search: this.#search,
      console: new ConsoleView(this),
      chat: this.#chat,
      indexes: indexesView(this),
      tasks: new TasksView(this),
      network: networkView(this),
      settings: new SettingsView(this),
      keys: new KeysView(this),
    }
    this.#links = new Map(VIEWS.map((view) => [view, h('a', { href: `#/${view}` }, NAMES[view])]))
    this.#links.get('chat')!.hidden = true
    this.#links.get('network')!.hidden = true
    this.#links.get('keys')!.hidden = isReadOnly()
    this.#picker.addEventListener('change', () => this.#pick(this.#picker.value))
    this.header = this.#makeHeader()
  }

  get dialogs(): readonly HTMLDialogElement[] {
    return [this.#key.dialog, this.#upload.dialog, this.#form.element]
  }
  get question(): Question {
    return this.#place.question
  }
  get tasks(): TaskPlace {
    return this.#place.tasks
  }
  get indexes(): readonly IndexRow[] {
    return this.#indexes
  }
  get primaryKey(): string | null {
    return this.#indexes.find(({ uid }) => uid === this.question.index)?.primaryKey ?? null
  }

  get #isModal(): boolean {
    return document.querySelector('dialog[open]') !== null
  }

  moved(from: string, to: string): void {
    if (this.question.index === from) {
      this.#move({ ...this.#place, question: { ...this.question, index: to } })
      this.#indexes = this.#indexes.filter(({ uid }) => uid !== from)
    }
    this.retry()
  }

  addDocuments(index: string): void {
    this.#upload.open(index)
  }

  ask(change: Partial<Question>): void {
    this.#move({ ...this.#place, question: { ...this.question, ...change } })
    this.#search.search()
  }

  retry(): void {
    this.#lastAnswer = ''
    taskChanges.reopen()
    batchChanges.reopen()
    this.#pollIndexes()
  }

  keyForm(error: string | null): HTMLElement {
    return this.#key.form(error)
  }

  start(): void {
    addEventListener('hashchange', () => this.#followAddress())
    addEventListener('keydown', (event) => this.#onKey(event))
    this.#pollIndexes()
    taskChanges.listen(soon(() => this.#update(true), CHANGES_MS))
    setInterval(() => this.#update(false), POLL_MS)
  }

  /** Reads what may have changed. `hasChanged`: a task has; else some time has passed. */
  #update(hasChanged: boolean): void {
    // A refused key stays refused, so polling waits for another key.
    if (document.hidden || this.#isModal || this.#error?.wantsKey) return
    const { view } = this.#place
    const isPolling = !hasChanged && !taskChanges.isLive
    if (isPolling || hasChanged) this.#pollIndexes()
    if (isPolling || hasChanged === (view === 'tasks')) this.#views[view].tick?.()
  }

  #makeHeader(): HTMLElement {
    return h(
      'header',
      { class: 'top' },
      h(
        'a',
        { class: 'brand', href: '#/search', 'aria-label': 'Svc Search' },
        h('span', { class: 'brand-mark' }),
        h('span', { class: 'brand-name' }, 'Svc Search'),
      ),
      h(
        'nav',
        { 'aria-label': 'Views' },
        [...this.#links.values()],
        isReadOnly() ? null : h('a', { href: 'openapi' }, 'API'),
      ),
      h('div', { class: 'top-tools' }, this.#picker, this.#key.button, themeButton()),
    )
  }

  /** Reads the list of indexes and updates the view if something has changed. */
  #pollIndexes(): void {
    readIndexes(this.question.index).then(
      (indexes) => {
        const answer = JSON.stringify(indexes)
        if (answer === this.#lastAnswer) return
        this.#lastAnswer = answer
        this.#error = null
        this.#indexes = indexes
        this.#chooseIndex()
        this.#show()
        this.#findFeatures()
      },
      (error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof ServerError)) throw error
        const answer = `${error.status} ${error.code}`
        if (answer === this.#lastAnswer) return
        this.#lastAnswer = answer
        this.#error = error
        this.#picker.hidden = true
        this.#show()
        this.main.querySelector('input')?.focus()
      },
    )
  }

  #makeWorkspace(): void {
    workspaceForm(() => this.#findFeatures()).then(
      (form) => this.#form.open(form),
      (error: unknown) => {
        if (!(error instanceof ServerError)) throw error
        this.#error = error
        this.#show()
      },
    )
  }

  /** Shows the links to the chat and to the network if they are switched on and the key may see them. */
  #findFeatures(): void {
    const features = ask<Features>('GET', '/experimental-features')
    this.#showLink('chat', async () => {
      const { chatCompletions } = await features
      const { results } = chatCompletions ? await ask<Chats>('GET', '/chats?limit=100') : NO_CHATS
      this.#chat.offer(results.map(({ uid }) => uid))
      // A page for reading cannot make the first workspace.
      return !isReadOnly() || results.length > 0
    })
    this.#showLink('network', async () => {
      const { network } = await features
      return network === true && hasNetwork(await readNetwork())
    })
  }

  #showLink(view: View, isFound: () => Promise<boolean>): void {
    const link = this.#links.get(view)!
    isFound().then(
      (isShown) => {
        link.hidden = !isShown
      },
      (error: unknown) => {
        if (!(error instanceof ServerError)) throw error
        link.hidden = true
      },
    )
  }

  #chooseIndex(): void {
    const { question } = this.#place
    const index = shownIndex(this.#indexes, question.index)
    if (index !== question.index) this.#move({ ...this.#place, question: { ...question, index } })
    const isUnknown = index !== '' && !this.#indexes.some(({ uid }) => uid === index)
    fill(
      this.#picker,
      isUnknown ? h('option', { value: index, selected: true }, `${index} (not found)`) : null,
      this.#indexes.map(({ uid, documents }) =>
        h(
          'option',
          { value: uid, selected: uid === index },
          documents === null ? uid : `${uid} (${countText(documents)})`,
        ),
      ),
    )
    this.#picker.hidden = this.#indexes.length === 0
  }

  /** Selects an index and adds a history entry, so that “Back” returns to the previous index. */
  #pick(index: string): void {
    const question = {
      ...this.question,
      index,
      sort: '',
      embedder: '',
      ticked: new Map(),
      ranges: new Map(),
    }
    history.pushState(null, '', location.href)
    this.#move({ ...this.#place, question, tasks: ALL_TASKS })
    this.#chooseIndex()
    this.#show()
  }

  /** Replaces the address, so that typing does not add history entries. */
  #move(place: Place): void {
    this.#place = place
    history.replaceState(null, '', writeAddress(this.#place))
  }

  #followAddress(): void {
    const { view, question, tasks } = readAddress(location.hash)
    const index = question.index || this.question.index
    const isSame = view !== 'search' && index === this.question.index
    const isBare = !location.hash.includes('?')
    const isKept = isBare || isSame
    this.#move({ view, tasks, question: isKept ? this.question : { ...question, index } })
    this.#chooseIndex()
    this.#show()
    scrollTo(0, 0)
  }

  /** Listens to the progress of batches while it is shown. */
  #followBatches(isShown: boolean): void {
    if (isShown === (this.#leaveBatches !== null)) return
    this.#leaveBatches?.()
    const listener = soon(() => this.#views[this.#place.view].tick?.(), CHANGES_MS)
    this.#leaveBatches = isShown ? batchChanges.listen(listener) : null
  }

  #show(): void {
    const { view, question } = this.#place
    this.#followBatches(view === 'tasks')
    for (const [name, link] of this.#links) {
      if (name === view) {
        link.setAttribute('aria-current', 'page')
        // On narrow screens the list of links scrolls.
        link.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      } else link.removeAttribute('aria-current')
    }
    const title = `${NAMES[view]}${question.index === '' ? '' : ` · ${question.index}`}`
    document.title = `${title} · Svc Search`
    fill(this.#heading, title)
    const note = this.#note(view)
    const shown = note ?? this.#views[view].element
    if (this.#content.firstElementChild !== shown) fill(this.#content, shown)
    if (note !== null) return
    this.#views[view].refresh()
    if (view === 'search' && document.activeElement === document.body) this.#search.focus()
  }

  /** Returns a message to show instead of the view, or null if the view can be shown. */
  #note(view: View): HTMLElement | null {
    if (this.#error !== null) return errorNote(this.#error, this)
    if (!OF_AN_INDEX.has(view)) return null
    const { index } = this.question
    if (this.#indexes.some(({ uid }) => uid === index)) return null
    return index === '' ? noIndexNote(this) : unknownIndexNote(index, this)
  }

  #onKey(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || this.#isModal) return
    const isTyping =
      target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea')
    if (key === '/' && !isTyping) {
      event.preventDefault()
      if (this.#place.view !== 'search') location.hash = '#/search'
      else this.#search.focus()
    } else if (key === 'Escape' && this.#place.view === 'search') this.#search.escape()
  }
}
