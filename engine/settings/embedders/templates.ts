// Placeholders in `request` and `response` of a rest embedder: finds them and checks that they fit
// together. A `{{..}}` after a placeholder in an array means that the item is repeated for every
// text.

const REPEAT = '{{..}}'

/** The position of the one placeholder, or a problem. */
type PlaceholderResult =
  | { readonly kind: 'found'; readonly repeated: boolean }
  | { readonly kind: 'problem'; readonly path: string; readonly text: string }

const DOCUMENT_NOTE =
  '\n  - Note: this template is using a document template, and so expects to contain the ' +
  'placeholder "{{text}}" rather than "{{fragment}}"'
const FRAGMENT_NOTE =
  '\n  - Note: this template is using fragments, and so expects to contain the placeholder ' +
  '"{{fragment}}" rathern than "{{text}}"'

/**
 * Whether fragments are the input of the request: `unknown` while the stored fragments are not
 * known.
 */
export type FragmentUse = 'fragments' | 'document' | 'unknown'

/**
 * Returns the problem of a rest embedder's templates, or null. A template that is `undefined` is
 * unknown, and checks that need it are skipped.
 */
export function restTemplateProblem(
  request: unknown,
  response: unknown,
  use: FragmentUse,
): string | null {
  const requestResult = request === undefined ? null : requestPlaceholder(request, use)
  if (requestResult?.kind === 'problem')
    return `in \`${requestResult.path}\`: ${requestResult.text}`
  if (response === undefined) return null
  const responseResult = findPlaceholder(response, '{{embedding}}', 'response')
  if (responseResult.kind === 'problem')
    return `in \`${responseResult.path}\`: ${responseResult.text}`
  if (requestResult === null || requestResult.repeated === responseResult.repeated) return null
  return requestResult.repeated
    ? 'in `response`: `response` has a single embedding, but `request` has multiple texts to embed'
    : 'in `response`: `response` has multiple embeddings, but `request` has only one text to embed'
}

const requestPlaceholder = (request: unknown, use: FragmentUse): PlaceholderResult => {
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

const noted = (found: PlaceholderResult, note: string): PlaceholderResult =>
  found.kind === 'problem' ? { ...found, text: found.text + note } : found

type Search = {
  readonly placeholder: string
  /** Path of the placeholder once it was found. */
  at: string | null
  /** The placeholder is in a repeated value. */
  isRepeated: boolean
  /** Path of the repeated array, or null. */
  repeatedAt: string | null
}

const findPlaceholder = (
  template: unknown,
  placeholder: string,
  name: string,
): PlaceholderResult => {
  const search: Search = { placeholder, at: null, isRepeated: false, repeatedAt: null }
  const problem = visit(search, template, name, null)
  if (problem !== null) return problem
  if (search.at === null) return problemAt(name, `"${placeholder}" not found`)
  return { kind: 'found', repeated: search.isRepeated }
}

const problemAt = (path: string, text: string): PlaceholderResult => ({
  kind: 'problem',
  path,
  text,
})

/**
 * Visits a value. Depth is bounded by the JSON parser. `inside`: the array whose item is repeated,
 * or null.
 */
const visit = (
  search: Search,
  value: unknown,
  path: string,
  inside: string | null,
): PlaceholderResult | null => {
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

const visitPlaceholder = (
  search: Search,
  path: string,
  isRepeated: boolean,
): PlaceholderResult | null => {
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
): PlaceholderResult | null => {
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

/** Visits the item that is repeated for each text. */
const visitRepeated = (
  search: Search,
  item: unknown,
  path: string,
  inside: string | null,
): PlaceholderResult | null => {
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
