// The placeholders in a rest embedder's `request` and `response`: where they are, and that they fit
// together. A `{{..}}` after a placeholder in an array says that the array is repeated once for
// every text.

const REPEAT = '{{..}}'

/** Where the one placeholder is, or what is wrong. */
type Found =
  | { readonly kind: 'found'; readonly repeated: boolean }
  | { readonly kind: 'problem'; readonly path: string; readonly text: string }

const DOCUMENT_NOTE =
  '\n  - Note: this template is using a document template, and so expects to contain the ' +
  'placeholder "{{text}}" rather than "{{fragment}}"'
const FRAGMENT_NOTE =
  '\n  - Note: this template is using fragments, and so expects to contain the placeholder ' +
  '"{{fragment}}" rathern than "{{text}}"'

/**
 * Whether fragments feed the request: yes, no, or not known while the stored ones are not looked
 * at.
 */
export type FragmentUse = 'fragments' | 'document' | 'unknown'

/**
 * What is wrong with the templates of a rest embedder, or null. `undefined` stands for a template
 * that is not at hand: what needs it is not checked.
 */
export function restTemplateProblem(
  request: unknown,
  response: unknown,
  use: FragmentUse,
): string | null {
  const asked = request === undefined ? null : requestPlaceholder(request, use)
  if (asked?.kind === 'problem') return `in \`${asked.path}\`: ${asked.text}`
  if (response === undefined) return null
  const answered = findPlaceholder(response, '{{embedding}}', 'response')
  if (answered.kind === 'problem') return `in \`${answered.path}\`: ${answered.text}`
  if (asked === null || asked.repeated === answered.repeated) return null
  return asked.repeated
    ? 'in `response`: `response` has a single embedding, but `request` has multiple texts to embed'
    : 'in `response`: `response` has multiple embeddings, but `request` has only one text to embed'
}

const requestPlaceholder = (request: unknown, use: FragmentUse): Found => {
  if (use === 'fragments')
    return noted(findPlaceholder(request, '{{fragment}}', 'request'), FRAGMENT_NOTE)
  const text = findPlaceholder(request, '{{text}}', 'request')
  if (text.kind === 'found') return text
  if (use === 'unknown') {
    const fragment = findPlaceholder(request, '{{fragment}}', 'request')
    if (fragment.kind === 'found') return fragment
  }
  return noted(text, DOCUMENT_NOTE)
}

const noted = (found: Found, note: string): Found =>
  found.kind === 'problem' ? { ...found, text: found.text + note } : found

type Search = {
  readonly placeholder: string
  /** Path of the placeholder once it was met. */
  at: string | null
  /** The placeholder is in a value that is repeated. */
  isRepeated: boolean
  /** Path of the array that is repeated, or null. */
  repeatedAt: string | null
}

const findPlaceholder = (template: unknown, placeholder: string, name: string): Found => {
  const search: Search = { placeholder, at: null, isRepeated: false, repeatedAt: null }
  const problem = visit(search, template, name, null)
  if (problem !== null) return problem
  if (search.at === null) return problemAt(name, `"${placeholder}" not found`)
  return { kind: 'found', repeated: search.isRepeated }
}

const problemAt = (path: string, text: string): Found => ({ kind: 'problem', path, text })

/**
 * Depth is bounded by the JSON reader. `inside`: the array whose item is repeated, null elsewhere.
 */
const visit = (
  search: Search,
  value: unknown,
  path: string,
  inside: string | null,
): Found | null => {
  if (value === REPEAT) return problemAt(path, `"${REPEAT}" appears outside of an array`)
  if (value === search.placeholder) return visitPlaceholder(search, path, inside !== null)
  if (Array.isArray(value)) return visitArray(search, value, path, inside)
  if (typeof value !== 'object' || value === null) return null
  for (const [member, inner] of Object.entries(value)) {
    const problem = visit(search, inner, `${path}.${member}`, inside)
    if (problem !== null) return problem
  }
  return null
}

const visitPlaceholder = (search: Search, path: string, isRepeated: boolean): Found | null => {
  const { placeholder, at } = search
  if (at !== null) {
    const where = search.isRepeated ? ' (repeated)' : ''
    return problemAt(
      path,
      `Found "${placeholder}", but it was already present in \`${at}\`${where}`,
    )
  }
  search.at = path
  search.isRepeated = isRepeated
  return null
}

const visitArray = (
  search: Search,
  array: readonly unknown[],
  path: string,
  inside: string | null,
): Found | null => {
  const wrong = array.findIndex((item, index) => item === REPEAT && index !== 1)
  if (wrong >= 0) {
    return problemAt(path, `"${REPEAT}" expected at position #1, but found at position #${wrong}`)
  }
  const repeats = array[1] === REPEAT
  if (repeats) {
    const problem = visitRepeated(search, array[0], path, inside)
    if (problem !== null) return problem
  }
  for (let index = repeats ? 2 : 0; index < array.length; index++) {
    const problem = visit(search, array[index], `${path}[${index}]`, inside)
    if (problem !== null) return problem
  }
  return null
}

/** The item that stands for each text. */
const visitRepeated = (
  search: Search,
  item: unknown,
  path: string,
  inside: string | null,
): Found | null => {
  if (inside !== null) {
    const nested = 'appears nested inside of a value that is itself repeated'
    return problemAt(inside, `"${REPEAT}" ${nested}`)
  }
  if (search.repeatedAt !== null) {
    const text = `Found "${REPEAT}", but it was already present in \`${search.repeatedAt}\``
    return problemAt(path, text)
  }
  search.repeatedAt = path
  const problem = visit(search, item, `${path}[0]`, path)
  if (problem !== null || search.isRepeated) return problem
  return problemAt(`${path}[0]`, `Expected "${search.placeholder}" inside of the repeated value`)
}
