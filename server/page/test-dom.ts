// A page for tests without a browser, by happy-dom; its elements shown as markup; and its server.
import { Window } from 'happy-dom'
import { vi } from 'vitest'

/** Globals that the code of the page and its tests use. */
const OBJECTS = ['document', 'location', 'localStorage', 'sessionStorage'] as const
const CLASSES = ['Event', 'Node', 'Element', 'HTMLElement'] as const

/** Opens an empty page. `images`: as of its first element. */
export function stubPage(images = ''): void {
  const page = new Window({ url: 'http://host:7700/' })
  page.document.documentElement.dataset['images'] = images
  // A page that is hidden opens no stream of changes.
  Object.defineProperty(page.document, 'hidden', { value: true })
  for (const name of [...OBJECTS, ...CLASSES]) vi.stubGlobal(name, page[name])
}

/** Lets requests and their continuations run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 8; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Dispatches an event as a user causes it; `members` are those of the event. */
export function act(target: EventTarget, type: string, members: object = {}): Event {
  const event = new Event(type, { bubbles: true, cancelable: true })
  target.dispatchEvent(Object.assign(event, members))
  return event
}

/** Shows an element as markup, a line for each element; texts beside elements are quoted. */
export function markup(element: Element, depth = 0): string {
  const indent = '  '.repeat(depth)
  const words = [...element.attributes].map(({ name, value }) =>
    value ? ` ${name}="${value}"` : ` ${name}`,
  )
  const head = `${indent}<${element.localName}${words.join('')}>`
  if (element.firstElementChild === null) return `${head}${element.textContent}\n`
  const inside = [...element.childNodes].map((node) => {
    if (node instanceof Element) return markup(node, depth + 1)
    return node.textContent && `${indent}  ${JSON.stringify(node.textContent)}\n`
  })
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
