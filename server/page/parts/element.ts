// Creates elements. Content is passed as nodes or texts, so markup cannot be injected.

export type Child = Node | string | number | null | false | readonly Child[]

type Listeners = {
  readonly [Name in keyof HTMLElementEventMap as `on${Name}`]?: (
    event: HTMLElementEventMap[Name],
  ) => void
}
type Attributes = Listeners & {
  /** The content security policy forbids style attributes: use the element's `style`. */
  readonly style?: never
  readonly [name: string]: unknown
}

/**
 * Creates an element: `h('p', { class: 'note' }, 'text')`. An attribute or child that is null or
 * false is left out.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    if (typeof value === 'function') {
      element.addEventListener(key.slice(2), value as EventListener)
    } else element.setAttribute(key, value === true ? '' : String(value))
  }
  append(element, children)
  return element
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === false) continue
    if (Array.isArray(child)) append(element, child)
    else element.append(typeof child === 'number' ? String(child) : (child as Node | string))
  }
}

/** Replaces the content of `element` with `children`. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren()
  append(element, children)
}

/**
 * Like `fill`, but moves the focus to the new element with the same `data-focus` as the old one.
 */
export function refill(element: Element, ...children: readonly Child[]): void {
  const focused = focusName()
  fill(element, ...children)
  focusAgain(element, focused)
}

/** Returns the `data-focus` of the element that has the focus, or null if it has none. */
export const focusName = (): string | null =>
  document.activeElement?.getAttribute('data-focus') ?? null

/** Moves the focus to the element inside `element` whose `data-focus` is `name`. */
export function focusAgain(element: ParentNode, name: string | null): void {
  if (name === null) return
  const again = [...element.querySelectorAll<HTMLElement>('[data-focus]')]
  again.find((found) => found.getAttribute('data-focus') === name)?.focus()
}

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an icon of one path in a square of 24 units. It is hidden from screen readers. */
export function icon(path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(SVG, 'path')
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}

export const ICONS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.2 16.2 21 21',
  previous: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6 6 18',
  key: 'M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 13l9-9M16 8l3 3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5',
  system: 'M3 5h18v11H3zM8 20h8M12 16v4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
} as const

/**
 * Creates a bar filled to `share`, 0 to 1. Sets the width through the CSSOM, because the content
 * security policy forbids style attributes.
 */
export function bar(share: number, label: string): HTMLElement {
  const inside = h('span', { class: 'bar-inside' })
  inside.style.width = `${(Math.max(0, Math.min(1, share)) * 100).toFixed(2)}%`
  return h('span', { class: 'bar', role: 'img', 'aria-label': label }, inside)
}
