// Finds the route for a path and a method. A tree of path segments: literal segments are tried
// before parameters, so `/tasks/cancel` hides the task of that name, for every method.
import { assert } from '../../format/errors.ts'
import type { Route } from './messages/index.ts'

/** All routes of one path. */
type Resource = {
  readonly routes: ReadonlyMap<string, Route>
  /** Value of the `Allow` header. */
  readonly allow: string
}

export type Match = {
  readonly resource: Resource
  readonly params: { readonly [name: string]: string }
}

type Leaf = {
  readonly routes: Map<string, Route>
  /** Names of the parameters in the order of the path; all routes of a path use the same names. */
  readonly names: readonly string[]
  allow: string
}

type Branch = {
  readonly written: Map<string, Branch>
  any: Branch | null
  leaf: Leaf | null
}

const branch = (): Branch => ({ written: new Map(), any: null, leaf: null })

export class Router {
  readonly #root = branch()
  readonly #routes: Route[] = []

  constructor(routes: readonly Route[] = []) {
    for (const route of routes) this.add(route)
  }

  /** The routes in the order in which they were added. */
  get routes(): readonly Route[] {
    return this.#routes
  }

  add(route: Route): void {
    const names: string[] = []
    let at = this.#root
    for (const part of route.path.split('/')) {
      if (part.startsWith(':')) names.push(part.slice(1))
      if (part !== '') at = descend(at, part)
    }
    at.leaf ??= { routes: new Map(), names, allow: '' }
    const { leaf } = at
    assert(
      leaf.names.join() === names.join(),
      'all routes of a path must use the same parameter names',
    )
    assert(!leaf.routes.has(route.method), 'a path can have only one route per method')
    leaf.routes.set(route.method, route)
    leaf.allow = [...leaf.routes.keys()].join(', ')
    this.#routes.push(route)
  }

  /** Returns the resource at a path of decoded segments, or null if the path is unknown. */
  match(parts: readonly string[]): Match | null {
    const values: string[] = []
    const leaf = find(this.#root, parts, 0, values)
    if (leaf === null) return null
    const params: { [name: string]: string } = {}
    for (let i = 0; i < values.length; i++) params[leaf.names[i]!] = values[i]!
    return { resource: leaf, params }
  }
}

const descend = (at: Branch, part: string): Branch => {
  if (part.startsWith(':')) return (at.any ??= branch())
  let next = at.written.get(part)
  if (next === undefined) at.written.set(part, (next = branch()))
  return next
}

/** PATH_PARTS_MAX bounds the depth, and with it the number of branches tried. */
function find(at: Branch, parts: readonly string[], depth: number, values: string[]): Leaf | null {
  const part = parts[depth]
  if (part === undefined) return at.leaf
  const written = at.written.get(part)
  if (written !== undefined) {
    const found = find(written, parts, depth + 1, values)
    if (found !== null) return found
  }
  if (at.any === null) return null
  values.push(part)
  const found = find(at.any, parts, depth + 1, values)
  if (found === null) values.pop()
  return found
}
