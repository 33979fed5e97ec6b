// Elements for tests without a browser: as much of the DOM as the views of the page use. Views are
// built and shown as markup; events are dispatched by hand.
import { vi } from 'vitest'

type FakeNode = FakeElement | string

/** Properties that reflect an attribute of the same name: of texts and of flags. */
const TEXTS = ['id', 'value', 'rows', 'title', 'href'] as const
const FLAGS = ['hidden', 'open', 'disabled', 'checked', 'selected'] as const

export class FakeElement extends EventTarget {
  readonly name: string
  readonly attributes = new Map<string, string>()
  readonly style: { [property: string]: string } = {}
  nodes: FakeNode[] = []
  parent: FakeElement | null = null
  scrollTop = 0
  scrollLeft = 0

  constructor(name: string) {
    super()
    this.name = name
    for (const text of TEXTS) {
      Object.defineProperty(this, text, {
        get: () => this.#chosen(text) ?? this.attributes.get(text) ?? '',
        set: (value: unknown) => this.attributes.set(text, String(value)),
      })
    }
    for (const flag of FLAGS) {
      Object.defineProperty(this, flag, {
        get: () => this.attributes.has(flag),
        set: (isOn: boolean) =>
          isOn ? this.attributes.set(flag, '') : this.attributes.delete(flag),
      })
    }
  }

  /** The value of a list of options is that of the selected one, or of the first. */
  #chosen(property: string): string | undefined {
    if (this.name !== 'select' || property !== 'value' || this.attributes.has('value')) return
    const options = this.all('option')
    const chosen = options.find((one) => one.attributes.has('selected')) ?? options[0]
    return chosen?.attributes.get('value') ?? chosen?.textContent
  }

  get children(): readonly FakeElement[] {
    return this.nodes.filter((node): node is FakeElement => typeof node !== 'string')
  }
  get firstElementChild(): FakeElement | null {
    return this.children[0] ?? null
  }
  get textContent(): string {
    return this.nodes.map((node) => (typeof node === 'string' ? node : node.textContent)).join('')
  }
  set textContent(text: string) {
    this.nodes = [text]
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value)
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name)
  }
  append(...nodes: readonly FakeNode[]): void {
    for (const node of nodes) {
      if (typeof node !== 'string') node.parent = this
      this.nodes.push(node)
    }
  }
  replaceChildren(...nodes: readonly FakeNode[]): void {
    this.nodes = []
    this.append(...nodes)
  }
  remove(): void {
    const { parent } = this
    if (parent !== null) parent.nodes = parent.nodes.filter((node) => node !== this)
  }
  focus(): void {
    fakeDocument.activeElement = this
  }
  blur(): void {
    fakeDocument.activeElement = fakeDocument.body
  }
  showModal(): void {
    this.setAttribute('open', '')
  }
  close(): void {
    this.removeAttribute('open')
  }
  contains(other: FakeElement): boolean {
    return other === this || this.querySelectorAll('*').includes(other)
  }
  get classList() {
    const names = new Set((this.getAttribute('class') ?? '').split(' ').filter((one) => one !== ''))
    const change = (name: string, isOn: boolean): boolean => {
      if (isOn) names.add(name)
      else names.delete(name)
      this.setAttribute('class', [...names].join(' '))
      return isOn
    }
    return {
      toggle: (name: string, isOn = !names.has(name)) => change(name, isOn),
      remove: (name: string) => change(name, false),
    }
  }
  matches(selectors: string): boolean {
    return selectors.split(', ').includes(this.name)
  }
  click(): void {
    this.act('click')
  }
  /** Nothing is drawn, so nothing scrolls. */
  readonly scrollTo = (): void => undefined
  readonly scrollIntoView = (): void => undefined
  readonly select = (): void => undefined
  readonly isConnected: boolean = true
  declare readonly id: string

  /** Returns the elements inside with this name, or with this attribute: `[data-focus]`. */
  querySelectorAll(selector: string): readonly FakeElement[] {
    const attribute = /^\[([\w-]+)\]$/.exec(selector)?.[1]
    const names = selector.split(', ')
    const inside = this.children.flatMap((child) => [child, ...child.querySelectorAll('*')])
    if (selector === '*') return inside
    return inside.filter((one) =>
      attribute === undefined ? names.includes(one.name) : one.attributes.has(attribute),
    )
  }
  querySelector(selector: string): FakeElement | null {
    return this.querySelectorAll(selector)[0] ?? null
  }
  all(name: string): readonly FakeElement[] {
    return this.querySelectorAll(name)
  }

  /** Dispatches an event as a user causes it; `members` are those of the event. */
  act(type: string, members: object = {}): Event {
    const event = Object.assign(new Event(type, { cancelable: true }), members)
    this.dispatchEvent(event)
    return event
  }
}

/** A page that is hidden opens no stream of changes. */
const fakeDocument = Object.assign(new EventTarget(), {
  hidden: true,
  body: new FakeElement('body'),
  documentElement: Object.assign(new FakeElement('html'), { dataset: {} as { images?: string } }),
  activeElement: null as FakeElement | null,
  createElement: (name: string) => new FakeElement(name),
  createElementNS: (_: string, name: string) => new FakeElement(name),
})

/** Makes the elements of this file those of the page. `images`: as of its first element. */
export function stubPage(images = ''): void {
  fakeDocument.documentElement.attributes.clear()
  ;(fakeDocument.documentElement as unknown as { hasAttribute: unknown }).hasAttribute = (
    name: string,
  ) => fakeDocument.documentElement.attributes.has(name)
  fakeDocument.documentElement.dataset.images = images
  fakeDocument.activeElement = null
  vi.stubGlobal('document', fakeDocument)
  for (const name of ['Node', 'Element', 'HTMLElement']) vi.stubGlobal(name, FakeElement)
  for (const name of ['localStorage', 'sessionStorage']) vi.stubGlobal(name, fakeStorage())
  vi.stubGlobal('location', { href: 'http://host:7700/' })
}

function fakeStorage() {
  const stored = new Map<string, string>()
  return {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  }
}

/** Lets requests and their continuations run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 8; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the element that has the focus, or null. */
export const focused = (): FakeElement | null => fakeDocument.activeElement

/** Marks the page as one that offers no changes. */
export const makeReadOnly = (): void =>
  void fakeDocument.documentElement.attributes.set('data-read-only', '')

/** An element of the page as one of this file. */
export const fake = (element: Node): FakeElement => element as unknown as FakeElement

/** Shows an element as markup, a line for each element; texts beside elements are quoted. */
export function markup(element: Node | FakeElement, depth = 0): string {
  const { name, attributes, style, nodes } = element as FakeElement
  const styles = Object.entries(style).map(([key, value]) => ` ${key}=${value}`)
  const words = [...attributes].map(([key, value]) => ` ${key}${value === '' ? '' : `="${value}"`}`)
  const head = `${'  '.repeat(depth)}<${name}${words.join('')}${styles.join('')}>`
  const shown = nodes.filter((node) => node !== '')
  if (shown.every((node) => typeof node === 'string')) return `${head}${shown.join('')}\n`
  const inside = shown.map((node) =>
    typeof node === 'string'
      ? `${'  '.repeat(depth + 1)}${JSON.stringify(node)}\n`
      : markup(node, depth + 1),
  )
  return `${head}\n${inside.join('')}`
}

/**
 * Answers requests of the page with JSON by their method and path, or by a function of their body;
 * returns them in order. Others are refused.
 */
export function stubServer(answers: { readonly [request: string]: unknown }) {
  const asked: (readonly [request: string, body: unknown])[] = []
  vi.stubGlobal('fetch', (path: string, { method, body }: RequestInit) => {
    const request = `${method} ${path.slice(1)}`
    const sent = typeof body === 'string' ? (JSON.parse(body) as unknown) : null
    asked.push([request, sent])
    const found = answers[request]
    const answer: unknown = typeof found === 'function' ? (found(sent) as unknown) : found
    if (answer instanceof Response) return Promise.resolve(answer)
    const status = answer === undefined ? 404 : 200
    const missing = { message: `no ${request}`, code: 'not_found' }
    return Promise.resolve(new Response(JSON.stringify(answer ?? missing), { status }))
  })
  return asked
}
